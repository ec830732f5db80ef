import { Type } from '@sinclair/typebox'
import { Address, Closed, component, IsoTime, Nullable, OneOf, ref } from '../common.ts'
import { PlainText } from '../plain-text.ts'
import { REASON_LENGTH } from './operators.ts'

const launchpad = '0x7193e46d4a812c8990f96a6e9c1f1ed338b2a6b7'
const operator = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'

export const Deployment = component(
  'Deployment',
  {
    address: Address,
    kind: Type.String({ description: 'Kind of the contract.', examples: ['nad-fun'] }),
    startBlock: Type.Integer({ description: 'Block from which its events are read.', examples: [30000000] }),
    source: OneOf(['settings', 'api'], {
      description: 'settings: DEPLOYMENTS names it, so it cannot be removed here. api: an operator has added it.',
    }),
    state: OneOf(['waiting', 'backfilling', 'complete'], {
      description:
        'waiting: the indexer follows it within seconds. backfilling: new launches are indexed, and its history is ' +
        'being indexed. complete: all of its events are indexed, or it has none.',
    }),
    progressPct: Type.Number({ description: 'Part of its history that is indexed, in percent.', examples: [41.5] }),
    indexedBlock: Nullable(
      Type.Integer({
        description: 'Its history is indexed up to this block; null before, and for contracts without events.',
        examples: [41500000],
      }),
    ),
    removed: Type.Boolean({ description: 'Whether it was removed, so that its tokens are hidden.' }),
    addedBy: Nullable(Address),
    addedAt: Nullable(IsoTime),
  },
  {
    description: 'A contract that the service follows, or did.',
    examples: [
      {
        address: launchpad,
        kind: 'nad-fun',
        startBlock: 30_000_000,
        source: 'api',
        state: 'backfilling',
        progressPct: 41.5,
        indexedBlock: 41_500_000,
        removed: false,
        addedBy: operator,
        addedAt: '2026-11-21T12:00:00.000Z',
      },
    ],
  },
)

export const DeploymentList = Type.Object({ items: Type.Array(ref(Deployment)) })

export const NewDeployment = Closed(
  {
    kind: Type.String({
      pattern: '^[a-z0-9-]{1,40}$',
      description:
        'Kind of the contract, as in DEPLOYMENTS: that of a launchpad, of a contract whose events name the pools of its tokens, or of ' +
        'a router or quoter.',
      examples: ['nad-fun'],
      'x-expects': 'must be a kind of contract',
    }),
    address: Address,
    startBlock: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Block of its creation, or an earlier one.',
      examples: [30000000],
    }),
    reason: Type.Optional(
      Nullable(PlainText(REASON_LENGTH, 'Reason, for the audit log.', 'Asked for by many traders.')),
    ),
  },
  {
    examples: [{ kind: 'nad-fun', address: launchpad, startBlock: 30_000_000, reason: 'Asked for by many traders.' }],
  },
)

export const components = [Deployment]
