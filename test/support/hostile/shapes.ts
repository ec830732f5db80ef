import { failure, type RawAnswer, type RpcAnswer, type RpcCall, raw, result } from './node.ts'

export interface Shape {
  /** refusal: of the call. none: no usable response. null: what a node answers that does not have the thing. */
  kind: 'refusal' | 'none' | 'null'
  make: (call: RpcCall, ask: (call: RpcCall) => Promise<RpcAnswer>) => Promise<RpcAnswer | RawAnswer>
}

const refusal = (answer: RpcAnswer | RawAnswer): Shape => ({ kind: 'refusal', make: async () => answer })
const none = (answer: RpcAnswer | RawAnswer): Shape => ({ kind: 'none', make: async () => answer })
const json = { 'content-type': 'application/json' }

/** Wrong responses of nodes, and of proxies in front of them. */
export const shapes: Readonly<Record<string, Shape>> = {
  'HTTP 403 with JSON that is no JSON-RPC': refusal(raw(403, '{"message":"method not whitelisted"}', json)),
  'HTTP 400 with JSON that is no JSON-RPC': refusal(raw(400, '{"message":"bad request"}', json)),
  'an error that is a text': refusal({ error: 'not supported' }),
  'an error whose code is a text': refusal(failure('-32601', 'The method does not exist')),
  'a page of HTML with status 200': none(raw(200, '<html>Welcome</html>', { 'content-type': 'text/html' })),
  'an empty body': none(raw(200, '')),
  'JSON that is cut off': none(raw(200, (right) => right.slice(0, Math.floor(right.length / 2)), json)),
  'a list in place of an object': none(raw(200, (right) => JSON.stringify([JSON.parse(right)]), json)),
  'HTTP 500': none(raw(500, '<html>Internal server error</html>')),
  'no id': { kind: 'none', make: async (call, ask) => ({ ...(await ask(call)), id: undefined }) },
  'another id': { kind: 'none', make: async (call, ask) => ({ ...(await ask(call)), id: 987_654_321 }) },
  'a number as the result': none(result(7)),
  'an object as the result': none(result({})),
  'a list of a number as the result': none(result([7])),
  'null as the result': { kind: 'null', make: async () => result(null) },
}

/** Every method that the service sends to nodes by itself. test/routes/wrong-nodes.test.ts compares them with its requests. */
export const METHODS = [
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getCode',
  'eth_getLogs',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
] as const
export type Method = (typeof METHODS)[number]
