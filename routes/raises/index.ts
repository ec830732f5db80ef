import type { FastifyPluginAsync } from 'fastify'
import { optionalWallet, requireWallet } from '../../plugins/auth.ts'
import * as proposalsSchemas from '../../schemas/proposals.ts'
import * as raiseEventsSchemas from '../../schemas/raise-events.ts'
import * as raisesSchemas from '../../schemas/raises.ts'
import type { Domain } from '../domain.ts'
import createRaise from './create-raise.ts'
import getProposal from './get-proposal.ts'
import getRaise from './get-raise.ts'
import listCommitments from './list-commitments.ts'
import listProposals from './list-proposals.ts'
import listRaises from './list-raises.ts'
import patchRaise from './patch-raise.ts'
import syncProposal from './sync-proposal.ts'
import syncRaise from './sync-raise.ts'
import syncVote from './sync-vote.ts'

/** Raises and governance: public reads, and receipt sync for authenticated wallets. */
const raises: FastifyPluginAsync = async (app) => {
  app.register(async (scope) => {
    scope.addHook('onRequest', optionalWallet)
    scope.register(listRaises)
    scope.register(getRaise)
    scope.register(listProposals)
    scope.register(getProposal)
  })

  app.register(listCommitments)

  app.register(async (scope) => {
    scope.addHook('onRequest', requireWallet)
    scope.register(createRaise)
    scope.register(patchRaise)
    scope.register(syncRaise)
    scope.register(syncProposal)
    scope.register(syncVote)
  })
}

export default {
  plugin: raises,
  tags: [{ name: 'Raises', description: 'Raises and their governance.' }],
  schemas: [...raisesSchemas.components, ...proposalsSchemas.components, ...raiseEventsSchemas.components],
  channels: raisesSchemas.channels,
  events: raisesSchemas.liveEvents,
} satisfies Domain
