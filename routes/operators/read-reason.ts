import type { Static } from '@sinclair/typebox'
import { type Decision, REASON_LENGTH } from '../../schemas/operators/operators.ts'
import { readOptionalText } from '../read-text.ts'

/** Reason of an operator’s action; null without a reason or a body. */
export const readReason = (
  body: Pick<NonNullable<Static<typeof Decision>>, 'reason'> | null | undefined,
): string | null => readOptionalText(body?.reason ?? null, 'body.reason', REASON_LENGTH)
