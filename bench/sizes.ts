// Prints the bytes per row of a filled database: npm run bench:sizes -- <DATABASE_URL>, or --sizes of bench/indexer.ts
import { printSizes } from './indexer/print-sizes.ts'

const [, , url] = process.argv
if (url?.includes('://')) await printSizes(url)
else {
  console.log(
    'Usage: npm run bench:sizes -- <DATABASE_URL>\n\nPrints the bytes per row of each table of a filled database.',
  )
  process.exitCode = url === '--help' ? 0 : 2
}
