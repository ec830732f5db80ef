import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The service that `npm run dev` forwards API requests to. */
const SERVICE = process.env.SERVICE_URL ?? 'http://localhost:3000'

/** Puts the style sheet behind the frame of the page, whose painting it would hold up. Scripts still wait for it. */
const styleLast: Plugin = {
  name: 'style-last',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => {
      const [link = ''] = /\n *<link rel="stylesheet"[^>]*>/.exec(html) ?? []
      return html.replace(link, '').replace('\n  </body>', `${link}\n  </body>`)
    },
  },
}

export default defineConfig({
  root: fromHere('.'),
  base: '/app/',
  plugins: [react(), tailwindcss(), styleLast],
  resolve: {
    alias: [
      ...['api', 'helpers', 'react-views', 'react', 'texts'].map((entry) => ({
        find: `@slipway/sdk/${entry}`,
        replacement: fromHere(`../sdk/src/${entry}/index.ts`),
      })),
      { find: '@slipway/sdk', replacement: fromHere('../sdk/src/index.ts') },
    ],
    dedupe: ['react', 'react-dom', '@tanstack/react-query'],
  },
  worker: { format: 'es' },
  build: {
    outDir: fromHere('./dist'),
    emptyOutDir: true,
    target: 'es2023',
    // Data URLs would need exceptions in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
  server: {
    port: 5173,
    proxy: {
      '^/(?!app(/|$)|@|node_modules)': { target: SERVICE, changeOrigin: true },
      '/ws': { target: SERVICE, ws: true, changeOrigin: true },
    },
  },
})
