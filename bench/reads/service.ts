// The service in production form, except for unlimited quotas; its log is written and discarded.
import type { AddressInfo } from 'node:net'
import { buildApp } from '../../app.ts'
import { loadConfig } from '../../config/config.ts'
import { createLogger } from '../../lib/telemetry/create-logger.ts'
import { openServices } from '../../services.ts'

const config = loadConfig(process.env)
const services = await openServices(config, createLogger(config))
const app = await buildApp(services.config, services)
await app.listen({ port: 0, host: '127.0.0.1' })
// Also on SIGTERM, so that NODE_OPTIONS=--cpu-prof writes its profile.
for (const event of ['disconnect', 'SIGTERM']) process.on(event, () => process.exit())
process.send?.({ port: (app.server.address() as AddressInfo).port })
