import { Type } from '@sinclair/typebox'
import { Address, Closed, CursorList, CursorQuery, component, IsoTime, Line, Nullable, OneOf, ref } from './common.ts'
import { HTTPS, httpsUrl } from './links.ts'
import { PlainText } from './plain-text.ts'

export const lengths = { name: 80, audience: 500, motivation: 2000, note: 1000 } as const

const statuses = ['pending', 'approved', 'rejected'] as const

const Email = Type.String({
  maxLength: 254,
  pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}$",
  description: 'Returned to operators only.',
  examples: ['mira@example.org'],
  'x-expects': 'must be an e-mail address',
})

const Socials = Type.Record(
  Type.String({ pattern: '^[a-z][a-z0-9_]{0,29}$' }),
  Type.String({ maxLength: 200, pattern: `^${HTTPS}$`, 'x-expects': `must be ${httpsUrl}` }),
  {
    additionalProperties: false,
    maxProperties: 10,
    description: 'Profile URLs on other networks, keyed by network name. At most ten.',
    examples: [{ x: 'https://x.com/mira' }],
    'x-expects': 'must name at most ten networks',
  },
)

const Country = Type.String({
  pattern: '^[A-Z]{2}$',
  description: 'ISO 3166-1 alpha-2 country code.',
  examples: ['PT'],
  'x-expects': 'must be a country code of two capital letters (ISO 3166-1)',
})

const example = {
  name: 'Mira',
  email: 'mira@example.org',
  wallet: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  country: 'PT',
  socials: { x: 'https://x.com/mira' },
  audience: '4,000 followers who collect cat tokens.',
  motivation: 'I have launched three tokens here and answer questions every day.',
}

export const ApplicationCreation = Closed(
  {
    name: PlainText(lengths.name, 'Name of the applicant.', example.name),
    email: Email,
    wallet: Type.Optional(Nullable(Address)),
    country: Country,
    socials: Type.Optional(Socials),
    audience: PlainText(lengths.audience, 'Audience of the applicant.', example.audience),
    motivation: PlainText(lengths.motivation, 'Motivation of the applicant.', example.motivation),
    homepage: Type.Optional(
      Nullable(
        Line(
          0,
          500,
          'Honeypot: leave it empty and hide it in forms. An application with a value is treated as sent by a bot.',
        ),
      ),
    ),
  },
  { examples: [example] },
)

export const ApplicationReceipt = component(
  'AmbassadorApplicationReceipt',
  { id: Type.String(), status: OneOf(statuses) },
  {
    description: 'Confirms that an application was received.',
    examples: [{ id: '0c7f8a52-6a0e-4f5e-9b1c-7d0f3a5d2e11', status: 'pending' }],
  },
)

export const Application = component(
  'AmbassadorApplication',
  {
    id: Type.String(),
    name: Type.String(),
    email: Email,
    wallet: Nullable(Address),
    country: Country,
    socials: Type.Record(Type.String(), Type.String()),
    audience: Type.String(),
    motivation: Type.String(),
    status: OneOf(statuses),
    reviewer: Nullable(Address),
    reviewNote: Nullable(Type.String()),
    reviewedAt: Nullable(IsoTime),
    createdAt: IsoTime,
  },
  {
    description: 'Contains personal data; returned to operators only.',
    examples: [
      {
        id: '0c7f8a52-6a0e-4f5e-9b1c-7d0f3a5d2e11',
        ...example,
        status: 'pending',
        reviewer: null,
        reviewNote: null,
        reviewedAt: null,
        createdAt: '2026-11-21T12:00:00.000Z',
      },
    ],
  },
)
export const ApplicationList = CursorList(ref(Application))
export const ApplicationQuery = CursorQuery({
  status: Type.Optional(OneOf(statuses, { description: 'Only applications with this status. Default: all.' })),
})

export const ApplicationParams = Type.Object({
  id: Type.String({
    pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
    examples: ['0c7f8a52-6a0e-4f5e-9b1c-7d0f3a5d2e11'],
    'x-lowercase': true,
    'x-expects': 'must be a UUID',
    description: 'The id returned when the application was sent.',
  }),
})

export const ApplicationReview = Closed(
  {
    status: OneOf(['approved', 'rejected']),
    note: Type.Optional(Nullable(PlainText(lengths.note, 'Note for other operators.', 'Knows the product well.'))),
  },
  { examples: [{ status: 'approved', note: 'Knows the product well.' }] },
)

export const ApplicationErasure = component(
  'AmbassadorApplicationErasure',
  { id: Type.String(), erased: Type.Literal(true) },
  {
    description: 'Confirms that an application and its personal data are erased.',
    examples: [{ id: '0c7f8a52-6a0e-4f5e-9b1c-7d0f3a5d2e11', erased: true }],
  },
)

export const components = [ApplicationReceipt, Application, ApplicationErasure]
