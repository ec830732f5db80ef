import type { Static } from '@sinclair/typebox'
import { type Decision, REASON_LENGTH } from '../../schemas/operators.ts'
import { readOptionalText } from '../social/read-text.ts'

/** Why an operator acts; null if they did not say, or sent no body at all. */
export const readReason = (body: Static<typeof Decision> | undefined): string | null =>
  readOptionalText(body?.reason ?? null, 'body.reason', REASON_LENGTH)
