import type { Call, Client, Given } from './client.ts'

/** An operation of the API as a function of the client. */
export type Operation<Args extends [options?: object], Answer> = (client: Client, ...args: Args) => Promise<Answer>

/** `description` is the method and the properties of the call that are true: `GET auth query`. */
export function defineOperation<Args extends [options?: object], Answer>(
  path: string,
  description: string,
): Operation<Args, Answer> {
  const [method = '', ...properties] = description.split(' ')
  const call: Call = { method, path, ...Object.fromEntries(properties.map((name) => [name, true])) }
  return (client, ...[options]) => client.send(call, options as Given)
}

/** The request of an operation: it only describes it to the client, so a client that returns the description reveals it. */
export function describeOperation(
  operation: (client: Client, options?: never) => unknown,
  options?: unknown,
): { call: Call; given: Given } {
  const recorder = { send: (call: Call, given: Given = {}) => ({ call, given }) } as unknown as Client
  return operation(recorder, options as never) as { call: Call; given: Given }
}
