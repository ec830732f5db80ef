import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { Address } from 'viem'
import { lockForApply } from '../../db/apply-lock.ts'
import {
  type AddedRow,
  addDeployment,
  findIndexedRange,
  isCreated,
  listAdded,
  listFollowed,
  removeDeployment,
} from '../../db/queries/deployments/deployments.ts'
import { applyVisibility } from '../../db/queries/deployments/visibility.ts'
import { enqueueEvents, toChangeEvent } from '../../db/queries/outbox.ts'
import { AppError } from '../../errors.ts'
import { findByDeployment } from '../../launchpads/index.ts'
import { exemplify, failures, notFound } from '../../lib/openapi/failures.ts'
import { walletOf } from '../../plugins/auth.ts'
import { toAddedDeployment, toConfiguredDeployment } from '../../records/operators/to-deployment.ts'
import { AddressParams, Address as AddressSchema, Envelope, ok, ref, walletRequired } from '../../schemas/common.ts'
import { Deployment, DeploymentList, NewDeployment } from '../../schemas/operators/deployments.ts'
import { deploymentReasons, isIndexed, readKind, requireDeployable } from './check-deployment.ts'
import { readReason } from './read-reason.ts'

const resource = 'This contract'
const CONFIGURED = 'named in DEPLOYMENTS: leave it out there and restart the service, then remove it here'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const { settings } = app
  const common = { tags: ['Operators'], security: walletRequired }
  const success = Envelope(ref(Deployment))
  const findConfigured = (address: string) => settings.deployments.find((one) => one.address === address)

  app.get(
    '/deployments',
    {
      schema: {
        ...common,
        operationId: 'listDeployments',
        summary: 'List the followed contracts',
        description:
          'Those that DEPLOYMENTS names, then those that operators have added, with the progress of their history.',
        response: { 200: Envelope(DeploymentList), ...failures('NOT_ADMIN') },
      },
    },
    async ({ db }) => {
      const [indexed, added] = [await findIndexedRange(db), await listAdded(db)]
      return ok({
        items: [
          ...settings.deployments.map((one) => toConfiguredDeployment(one, indexed)),
          ...added.flatMap((row) => (findConfigured(row.address) ? [] : [toAddedDeployment(row, indexed)])),
        ],
      })
    },
  )

  app.post(
    '/deployments',
    {
      schema: {
        ...common,
        operationId: 'addDeployment',
        summary: 'Follow another contract',
        description:
          'Without a restart: the indexer indexes new launches within seconds, and the history of this contract alone ' +
          'beside them. Idempotent; a contract that was removed is shown again. A launchpad can be added, the contract ' +
          'whose events name the pools of its tokens, and a router. DEPLOYMENTS has to name others: a price feed or a wrapped ' +
          'native coin has a part in every amount that is indexed already, and pools of stakes and raises cannot be ' +
          'hidden. 422 if the address has no contract of this kind, or its first events would be missed; 409 if it is ' +
          'followed as something else.',
        body: NewDeployment,
        response: {
          200: success,
          ...failures(
            'NOT_ADMIN',
            'WALLET_BANNED',
            'NODE_UNAVAILABLE',
            exemplify('WRONG_STATE', { resource, state: 'followed as nad-fun from block 30000000' }),
            deploymentReasons.DEPLOYMENT_INVALID,
          ),
        },
      },
    },
    async (request) => {
      const { startBlock } = request.body
      const address = request.body.address as Address
      const kind = readKind(request.body.kind)
      const added = { kind, startBlock, address }
      const { db } = request
      const indexed = await findIndexedRange(db)
      const configured = findConfigured(address)
      if (configured) {
        requireSame(configured, added)
        return ok(toConfiguredDeployment(configured, indexed))
      }
      const known = (await listAdded(db)).find((row) => row.address === address)
      if (known) requireSame(toSubject(known), added)
      const followedAs = (indexed?.contract_kinds as Record<string, string> | undefined)?.[address]
      if (followedAs !== undefined) requireSame({ kind: followedAs, startBlock }, added)
      const followed = await listFollowed(db, settings.deployments)
      if (known === undefined || known.removed_at !== null) {
        const wrappedNative = indexed?.wrapped_native ?? null
        await requireDeployable(app.chain, added, { followed, wrappedNative, isCreated: await isCreated(db, address) })
      }
      const reason = readReason(request.body)
      const row = await app.databases.writes
        .transaction()
        .execute((trx) =>
          addDeployment(trx, { ...added, isIndexed: isIndexed(kind), actor: walletOf(request), reason }),
        )
      requireSame(toSubject(row), added)
      await updateVisibility(app, address)
      return ok(toAddedDeployment(row, indexed))
    },
  )

  app.delete(
    '/deployments/:address',
    {
      schema: {
        ...common,
        operationId: 'removeDeployment',
        summary: 'Remove a contract',
        description:
          'Hides the tokens of a launchpad, also those that it launches later, as if operators had hidden each: they are ' +
          'in no list, and returned by address. It stays indexed, so adding it again shows them at once. Idempotent. 409 ' +
          'for a contract that DEPLOYMENTS names, or that a followed launchpad needs.',
        params: AddressParams,
        response: {
          200: success,
          ...failures(
            'NOT_ADMIN',
            'WALLET_BANNED',
            notFound('Deployment', AddressSchema),
            exemplify('WRONG_STATE', { resource, state: CONFIGURED }),
          ),
        },
      },
    },
    async (request) => {
      const { address } = request.params
      if (findConfigured(address)) throw new AppError('WRONG_STATE', { resource, state: CONFIGURED })
      const followed = await listFollowed(request.db, settings.deployments)
      const own = followed.find((one) => one.address === address)
      const user = followed.find((one) => own && findByDeployment(one.kind)?.needs === own.kind)
      if (user) throw new AppError('WRONG_STATE', { resource, state: `needed by ${user.kind} ${user.address}` })
      const row = await app.databases.writes
        .transaction()
        .execute((trx) => removeDeployment(trx, { address, actor: walletOf(request), reason: null }))
      if (!row) throw new AppError('RESOURCE_NOT_FOUND', { resource: 'Deployment', id: address })
      await updateVisibility(app, address)
      return ok(toAddedDeployment(row, await findIndexedRange(request.db)))
    },
  )
}

export default routes

type Subject = { kind: string; startBlock: number }

const toSubject = ({ kind, start_block: startBlock }: AddedRow): Subject => ({ kind, startBlock })

/** Throws WRONG_STATE. */
function requireSame(known: Subject, added: Subject): void {
  if (known.kind === added.kind && known.startBlock === added.startBlock) return
  throw new AppError('WRONG_STATE', { resource, state: `followed as ${known.kind} from block ${known.startBlock}` })
}

/** In transactions of some tokens each, between which the indexer continues. A request that was interrupted can be repeated. */
async function updateVisibility(app: FastifyInstance, launchpad: string): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    const from: number = after
    const { last } = await app.transactionWithEvents(
      async (trx) => {
        await lockForApply(trx)
        const done = await applyVisibility(trx, launchpad, from)
        if (done.changed.length > 0) await enqueueEvents(trx, [toChangeEvent([], done.changed)])
        return done
      },
      ({ changed }) => (changed.length > 0 ? ['token', 'market', 'social'] : []),
    )
    after = last
  }
}
