// One message to many sockets against the bare loop of `ws`; with the argument `latency`, a block to a client instead, and
// with `soak` the memory of a service whose sockets never read.
// node bench/socket.ts [sockets] [rounds] | latency [trades] | soak [minutes] [sockets]
import { measureBroadcast } from './socket/broadcast.ts'
import { measureLatency } from './socket/latency.ts'
import { soak } from './socket/soak.ts'

const [first, second, third] = process.argv.slice(2)
if (first === 'latency') await measureLatency(Number(second ?? 200))
else if (first === 'soak') await soak(Number(third ?? 1_000), Number(second ?? 10))
else await measureBroadcast(Number(first ?? 10_000), Number(second ?? 15))
process.exit()
