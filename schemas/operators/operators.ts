import { Type } from '@sinclair/typebox'
import { Id, reportReasons } from '../comments.ts'
import { Address, Closed, CursorList, CursorQuery, component, IsoTime, Nullable, OneOf, ref } from '../common.ts'
import { PlainText } from '../plain-text.ts'
import { RaiseId } from '../raise-values.ts'

export const REASON_LENGTH = 500

/** Body of an operator’s action. The body and its reason are optional; the reason is stored in the audit log. */
export const Decision = Nullable(
  Closed(
    {
      reason: Type.Optional(Nullable(PlainText(REASON_LENGTH, 'Reason, for the audit log.', 'Asks for seed phrases.'))),
    },
    { examples: [{ reason: 'Asks for seed phrases.' }] },
  ),
)

const token = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
const wallet = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

export const TokenVisibility = component(
  'TokenVisibility',
  { address: Address, hidden: Type.Boolean() },
  { description: 'Whether a token is hidden from lists.', examples: [{ address: token, hidden: true }] },
)
export const TokenFeature = component(
  'TokenFeature',
  { address: Address, featured: Type.Boolean() },
  { description: 'Whether a token is featured.', examples: [{ address: token, featured: true }] },
)
export const RaiseFeature = component(
  'RaiseFeature',
  { id: RaiseId, featured: Type.Boolean() },
  {
    description: 'Whether a raise is featured.',
    examples: [{ id: '0x0165878a594ca255338adfa4d48449f69242eb8f-1', featured: true }],
  },
)
export const CommentVisibility = component(
  'CommentVisibility',
  { id: Id, hidden: Type.Boolean() },
  { description: 'Whether operators have hidden a comment.', examples: [{ id: '1024', hidden: true }] },
)
export const WalletBan = component(
  'WalletBan',
  { wallet: Address, banned: Type.Boolean() },
  { description: 'Whether a wallet is banned.', examples: [{ wallet, banned: true }] },
)

export const Ban = component(
  'Ban',
  {
    wallet: Address,
    actor: Nullable(Address, { description: 'The operator who banned it.' }),
    reason: Nullable(Type.String()),
    bannedAt: IsoTime,
  },
  {
    description: 'A banned wallet.',
    examples: [
      {
        wallet: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
        actor: wallet,
        reason: 'Asks for seed phrases.',
        bannedAt: '2026-11-21T12:00:00.000Z',
      },
    ],
  },
)
export const BanList = CursorList(ref(Ban))

const reportStates = ['open', 'upheld', 'dismissed'] as const

export const Report = component(
  'Report',
  {
    id: Id,
    reporter: Address,
    reason: OneOf(reportReasons),
    note: Nullable(Type.String()),
    status: OneOf(reportStates, {
      description: 'open: not decided. upheld: the comment was hidden. dismissed: the report was rejected.',
    }),
    createdAt: IsoTime,
    comment: Type.Object({
      id: Id,
      token: Address,
      author: Address,
      text: Type.String({
        description: 'Included also if the comment is hidden. Empty if it was deleted and has no open reports.',
      }),
      hidden: Type.Boolean(),
      deleted: Type.Boolean(),
      authorBanned: Type.Boolean(),
    }),
  },
  {
    description: 'A wallet’s report of a comment.',
    examples: [
      {
        id: '7',
        reporter: wallet,
        reason: 'scam',
        note: 'The link asks for a seed phrase.',
        status: 'open',
        createdAt: '2026-11-21T12:00:00.000Z',
        comment: {
          id: '1024',
          token,
          author: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
          text: 'Verify your wallet at https://example.org',
          hidden: false,
          deleted: false,
          authorBanned: false,
        },
      },
    ],
  },
)
export const ReportList = CursorList(ref(Report))
export const ReportQuery = CursorQuery({
  status: Type.Optional(
    OneOf(reportStates, { default: 'open', description: 'Only reports with this status. open: not decided.' }),
  ),
})

export const AuditEntry = component(
  'AuditEntry',
  {
    id: Id,
    actor: Address,
    action: Type.String({
      description:
        'token.hide, token.unhide, token.feature, token.unfeature, token.edit, raise.feature, raise.unfeature, raise.edit, ' +
        'comment.hide, comment.unhide, report.dismiss, wallet.ban, wallet.unban, application.approve, ' +
        'application.reject, application.erase, deployment.add, deployment.remove, and others.',
    }),
    subject: Type.String({ description: 'Address or id of the target of the action.' }),
    reason: Nullable(Type.String()),
    createdAt: IsoTime,
  },
  {
    description: 'An action of an operator or a labs member.',
    examples: [
      {
        id: '31',
        actor: wallet,
        action: 'token.hide',
        subject: token,
        reason: 'Asks for seed phrases.',
        createdAt: '2026-11-21T12:00:00.000Z',
      },
    ],
  },
)
export const AuditList = CursorList(ref(AuditEntry))
export const AuditQuery = CursorQuery({
  actor: Type.Optional(Address),
  subject: Type.Optional(
    Type.String({
      maxLength: 121,
      pattern: '^[0-9A-Za-z-]+$',
      description: 'Only actions on this address or id.',
      'x-lowercase': true,
      'x-expects': 'must be an address or an id',
    }),
  ),
})

export const components = [
  TokenVisibility,
  TokenFeature,
  RaiseFeature,
  CommentVisibility,
  WalletBan,
  Ban,
  Report,
  AuditEntry,
]
