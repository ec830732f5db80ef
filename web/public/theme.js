// Loaded before the page is painted, so that a stored choice does not flash. Inline scripts are not allowed.
;(() => {
  let theme = null
  try {
    theme = localStorage.getItem('slipway.theme')
  } catch {
    // Storage is blocked: the system's theme applies.
  }
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme
})()
