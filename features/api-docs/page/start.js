// Runs in the Swagger UI page, last: adds the plugins, and loads the document with examples of this service.
{
  // The page creates the UI on load, so its constructor can be wrapped until then.
  const create = window.SwaggerUIBundle
  window.SwaggerUIBundle = Object.assign(
    (options) =>
      create({
        ...options,
        url: options.url.replace(/json$/, 'live.json'),
        plugins: [...options.plugins, ...window.docsPlugins],
      }),
    create,
  )
}
