import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { failures } from '../../../lib/openapi/failures.ts'
import { ref } from '../../../schemas/common.ts'
import { stepOf, UdfMarks, UdfMarksQuery } from '../../../schemas/integrations/udf.ts'
import { readSymbol } from './read-symbol.ts'

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/marks',
    {
      schema: {
        operationId: 'udfMarks',
        tags: ['Integrations'],
        summary: 'List the marks of a chart',
        description: 'Launch and graduation of a token, each at its bar in this resolution.',
        querystring: UdfMarksQuery,
        response: { 200: ref(UdfMarks), ...failures('TOKEN_NOT_FOUND') },
      },
    },
    async ({ db, query: { symbol, resolution, from, to } }) => {
      const { launched_at, graduated_at } = await readSymbol(db, symbol)
      const step = stepOf(resolution)
      return arrangeByColumn(
        [
          { id: 1, at: launched_at, color: 'blue', text: 'Launched', label: 'L' },
          { id: 2, at: graduated_at, color: 'green', text: 'Graduated', label: 'G' },
        ].flatMap(({ at, ...mark }) => {
          const time = at === null ? null : at - (at % step)
          return time !== null && time >= from && time <= to ? [{ ...mark, time }] : []
        }),
      )
    },
  )
}

export default routes

interface Mark {
  id: number
  time: number
  color: string
  text: string
  label: string
}

/** The format has an array for each property, not an object for each mark. */
const arrangeByColumn = (marks: readonly Mark[]) => ({
  id: marks.map(({ id }) => id),
  time: marks.map(({ time }) => time),
  color: marks.map(({ color }) => color),
  text: marks.map(({ text }) => text),
  label: marks.map(({ label }) => label),
  labelFontColor: marks.map(() => 'white'),
  minSize: marks.map(() => 16),
})
