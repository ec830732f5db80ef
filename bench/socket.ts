// Measures sockets under load: see HELP.
import { measureBroadcast } from './socket/broadcast.ts'
import { measureLatency } from './socket/latency.ts'
import { soak } from './socket/soak.ts'

const SERVER = 'postgres://postgres@127.0.0.1:5432/postgres'

const HELP = `Usage: npm run bench:socket -- [sockets] [rounds]
       npm run bench:socket -- latency [trades] [database]
       npm run bench:socket -- soak [minutes] [sockets]

Without a command: sends one message to many sockets (10000), in rounds (15), and compares with a bare loop of ws.
latency: measures the time from a block to a client, over a number of trades (200), and where it goes. The service uses a
  database on a PostgreSQL server (${SERVER}), or pglite.
soak: measures the memory of a service whose sockets never read, for minutes (10) with a number of sockets (1000).`

const [first, second, third] = process.argv.slice(2)
if (first === '--help' || first === '-h') console.log(HELP)
else if (first === 'latency') await measureLatency(Number(second ?? 200), third === 'pglite' ? null : (third ?? SERVER))
else if (first === 'soak') await soak(Number(third ?? 1_000), Number(second ?? 10))
else await measureBroadcast(Number(first ?? 10_000), Number(second ?? 15))
process.exit()
