/**
 * How often each status answers requests that are sent at once. What a busy service refuses (503) is sent again, as a client
 * would do it.
 */
export async function countStatuses(
  count: number,
  send: (at: number) => Promise<{ status: number }>,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  for (let pending = Array.from({ length: count }, (_, at) => at); pending.length > 0; ) {
    const answers = await Promise.all(pending.map(async (at) => ({ at, status: (await send(at)).status })))
    const done = answers.filter(({ status }) => status !== 503)
    for (const { status } of done) statuses[status] = (statuses[status] ?? 0) + 1
    pending = answers.filter((answer) => !done.includes(answer)).map(({ at }) => at)
  }
  return statuses
}
