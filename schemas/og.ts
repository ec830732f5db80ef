import { Type } from '@sinclair/typebox'
import { OneOf } from './common.ts'

export const CardParams = Type.Object({
  address: Type.String({
    description: 'Address of a token. For any other value, the service’s own card is returned.',
    examples: ['0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'],
  }),
})

export const ProfitCardParams = Type.Object({
  token: Type.String({
    description: 'Address of a token. For any other value, the service’s own card is returned.',
    examples: ['0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'],
  }),
  wallet: Type.String({
    description: 'A wallet that traded it. For any other value, the service’s own card is returned.',
    examples: ['0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'],
  }),
})

export const CardQuery = Type.Object({
  ratio: Type.Optional(
    OneOf(['1.91:1', '3:2'], {
      default: '1.91:1',
      description: '1.91:1 is 1200 by 630 pixels, for link previews; 3:2 is 1200 by 800 pixels, for mini app embeds.',
    }),
  ),
})

export const CardImage = {
  description: 'The image.',
  content: { 'image/png': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) } },
}
