import { Type } from '@sinclair/typebox'
import { Address, Closed, CursorList, CursorQuery, component, IsoTime, Nullable, ref } from './common.ts'
import { PlainText } from './plain-text.ts'
import { image } from './token-metadata.ts'

export const BIO_LENGTH = 300

export const Author = component(
  'Author',
  {
    wallet: Address,
    username: Nullable(Type.String()),
    avatarUrl: Nullable(Type.String()),
  },
  {
    description: 'Public name and avatar of a wallet.',
    examples: [
      {
        wallet: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        username: 'harbour_cat',
        avatarUrl: 'https://images.example.org/cat.webp',
      },
    ],
  },
)

export const WalletBatch = Closed(
  { wallets: Type.Array(Address, { minItems: 1, maxItems: 200 }) },
  { examples: [{ wallets: ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8'] }] },
)
export const AuthorBatch = Type.Object({ items: Type.Array(ref(Author)) })

export const WalletParams = Type.Object({ wallet: Address })

const USERNAME = '(?!0[xX])(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9_]{3,20}'

export const UsernameParams = Type.Object({
  username: Type.String({
    pattern: `^${USERNAME}$`,
    description: 'Username in any letter case.',
    examples: ['harbour_cat'],
    'x-expects': 'must be 3 to 20 letters a to z, digits and underscores, with a letter, and not begin with 0x',
  }),
})

export const Profile = component(
  'Profile',
  {
    wallet: Address,
    username: Nullable(Type.String()),
    bio: Nullable(Type.String()),
    avatarUrl: Nullable(Type.String()),
    followerCount: Type.Integer(),
    followingCount: Type.Integer(),
    createdTokens: Type.Integer({ description: 'Number of launched tokens, without hidden ones.' }),
    joinedAt: Nullable(
      Type.String({
        ...IsoTime,
        description: 'Time of the wallet’s first comment, trade or launch; null if there is none.',
      }),
    ),
    followedByMe: Nullable(Type.Boolean({ description: 'Null for unauthenticated requests.' })),
  },
  {
    description: 'Profile of a wallet. Every address has one, possibly empty.',
    examples: [
      {
        wallet: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        username: 'harbour_cat',
        bio: 'I launch cats.',
        avatarUrl: 'https://images.example.org/cat.webp',
        followerCount: 128,
        followingCount: 12,
        createdTokens: 3,
        joinedAt: '2026-11-20T09:30:00.000Z',
        followedByMe: null,
      },
    ],
  },
)

export const ProfilePatch = Closed(
  {
    username: Type.Optional(
      Nullable(
        Type.String({
          pattern: `^${USERNAME}$`,
          description: 'Unique regardless of letter case. Names that look alike (`b0b` and `bob`) count as the same.',
          examples: ['harbour_cat'],
          'x-expects': 'must be 3 to 20 letters a to z, digits and underscores, with a letter, and not begin with 0x',
        }),
      ),
    ),
    bio: Type.Optional(Nullable(PlainText(BIO_LENGTH, 'About the owner of the wallet.', 'I launch cats.'))),
    avatarUrl: image('Square image'),
  },
  {
    minProperties: 1,
    description: 'Fields to change. null clears a field; omitted fields stay unchanged.',
    examples: [{ username: 'harbour_cat', bio: 'I launch cats.' }],
  },
)

export const Follow = component(
  'Follow',
  {
    actor: Address,
    target: Address,
    createdAt: Nullable(
      Type.String({ ...IsoTime, description: 'Time of the follow; null if the target is not followed now.' }),
    ),
    followerCount: Type.Integer({ description: 'Current number of followers of the target.' }),
  },
  {
    description: 'A wallet’s follow of another wallet.',
    examples: [
      {
        actor: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        target: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
        createdAt: '2026-11-21T12:00:00.000Z',
        followerCount: 41,
      },
    ],
  },
)

export const Followed = component(
  'Followed',
  {
    wallet: Address,
    username: Nullable(Type.String()),
    avatarUrl: Nullable(Type.String()),
    followerCount: Type.Integer(),
    followedAt: IsoTime,
  },
  {
    description: 'A wallet in a list of followers or of followed wallets.',
    examples: [
      {
        wallet: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
        username: null,
        avatarUrl: null,
        followerCount: 41,
        followedAt: '2026-11-21T12:00:00.000Z',
      },
    ],
  },
)
export const FollowedList = CursorList(ref(Followed))
export const FollowQuery = CursorQuery({})

export const components = [Author, Profile, Follow, Followed]
