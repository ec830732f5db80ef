import type { FastifyPluginAsync } from 'fastify'
import getAsset from './get-asset.ts'
import getLatestBlock from './get-latest-block.ts'
import getPair from './get-pair.ts'
import listEvents from './list-events.ts'
import type { AdapterOptions } from './options.ts'

/** The four routes by which an indexer of DEX markets reads an exchange. */
const adapter: FastifyPluginAsync<AdapterOptions> = async (app, options) => {
  // The options contain the prefix of this plugin, which must not apply twice.
  const own = { ...options, prefix: '' }
  app.register(getLatestBlock, own)
  app.register(getAsset, own)
  app.register(getPair, own)
  app.register(listEvents, own)
}

export default adapter
