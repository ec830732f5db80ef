import type { Request, Response } from './client.ts'
import type { ApiDocument, Operation } from './document.ts'
import type { Aim } from './plan.ts'
import { keyOf, type Session, signIn } from './session.ts'

interface Ground {
  base: string
  document: ApiDocument
  /** The first two do what they please meanwhile; what the third one has done stays as it is. */
  sessions: { ann: Session; bob: Session; carl: Session; operator: Session }
  ask: (operation: Operation, aim: Aim, request: Request) => Promise<Response>
  note: (operation: Operation, aim: string, request: Request, problems: readonly string[]) => void
}

interface Stories {
  /** Makes things, and takes them away again, at every mount. */
  run(seed: number): Promise<void>
  /** Looks once more for everything that was taken away; resolves to the DELETE operations that no story has called. */
  recheck(): Promise<string[]>
}

interface Body {
  data: Record<string, unknown> & { items?: Record<string, unknown>[] }
}

/** What is deleted, unliked, unfollowed, erased or revoked must be gone at once, at every mount, and must stay so. */
export function createStories({ base, document, sessions, ask, note }: Ground): Stories {
  const { ann, bob, carl, operator } = sessions
  const { operations, mounts } = document
  const gone: (() => Promise<void>)[] = []
  const called = new Set<string>()

  const call = async (mount: string, id: string, values: Record<string, string>, session: Session, body?: object) => {
    const operation = operations.find((one) => one.id === id)
    if (!operation) throw new Error(`The document has no operation ${id}`)
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? '')
    const isInQuery = (name: string) => operation.parameters.some((one) => one.in === 'query' && one.name === name)
    const query = new URLSearchParams(Object.entries(values).filter(([name]) => isInQuery(name)))
    const request: Request = {
      method: operation.method,
      url: `${base}${mount}${path}${query.size > 0 ? `?${query}` : ''}`,
      headers: { ...session.headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    }
    const response = await ask(operation, 'accepts', request)
    // Who may not has tried as well.
    if (response.status === 200 || response.status === 403) called.add(id)
    return {
      status: response.status,
      json: response.json,
      data: ((response.json as Body | null)?.data ?? {}) as Body['data'],
      expect: (isTrue: boolean, problem: string) =>
        void (isTrue || note(operation, 'after deletion', request, [`${problem}: ${response.text.slice(0, 200)}`])),
    }
  }
  /** Holds now, and is looked at again at the end. */
  const holds = async (check: () => Promise<void>) => {
    gone.push(check)
    await check()
  }

  const comment = async (mount: string, address: string) => {
    const posted = await call(mount, 'postTokenComment', { address }, ann, { text: 'A comment that will be deleted' })
    posted.expect(posted.status === 200, 'a comment is refused')
    const id = String(posted.data.id)
    for (const [operation, likes] of [
      ['likeComment', true],
      ['unlikeComment', false],
    ] as const) {
      await call(mount, operation, { id }, carl)
      for (const other of mounts) {
        const list = await call(other, 'listTokenComments', { address }, carl)
        const found = list.data.items?.find((item) => item.id === id)
        list.expect(found?.likedByMe === likes, `after ${operation} the comment says otherwise`)
      }
    }
    const deleted = await call(mount, 'deleteComment', { id }, ann)
    deleted.expect(deleted.status === 200, 'a comment cannot be deleted')
    await holds(async () => {
      for (const other of mounts) {
        const list = await call(other, 'listTokenComments', { address }, ann)
        list.expect(list.data.items?.every((item) => item.id !== id) === true, 'a deleted comment is in the list')
        const liked = await call(other, 'likeComment', { id }, bob)
        liked.expect(liked.status === 404, 'a deleted comment is liked')
        const again = await call(other, 'deleteComment', { id }, ann)
        again.expect(again.status === 404, 'a deleted comment is deleted again')
      }
    })
  }

  const like = async (mount: string, address: string) => {
    const check = async (isLiked: boolean) => {
      for (const other of mounts) {
        const token = await call(other, 'getToken', { address }, carl)
        token.expect(token.data.likedByMe === isLiked, isLiked ? 'a like is not served' : 'a removed like is served')
      }
    }
    await call(mount, 'likeToken', { address }, carl)
    await check(true)
    await call(mount, 'unlikeToken', { address }, carl)
    await holds(() => check(false))
  }

  const watch = async (mount: string, token: string) => {
    const check = async (isWatched: boolean) => {
      for (const other of mounts) {
        const list = await call(other, 'listWatchedTokens', {}, carl)
        const isListed = list.data.items?.some(({ address }) => address === token)
        list.expect(
          isListed === isWatched,
          isWatched ? 'a watched token is not listed' : 'what is not watched is listed',
        )
      }
    }
    await call(mount, 'watchToken', { token }, carl)
    await check(true)
    await call(mount, 'unwatchToken', { token }, carl)
    await holds(() => check(false))
  }

  const alert = async (mount: string, token: string) => {
    const { data } = await call(mount, 'createAlert', {}, carl, { type: 'graduation', token })
    const id = String(data.id)
    const check = async (isMade: boolean) => {
      for (const other of mounts) {
        const list = await call(other, 'listAlerts', {}, carl)
        const isListed = list.data.items?.some((item) => item.id === id)
        list.expect(isListed === isMade, isMade ? 'an alert is not listed' : 'a deleted alert is listed')
      }
    }
    await check(true)
    await call(mount, 'deleteAlert', { id }, carl)
    await holds(async () => {
      await check(false)
      const again = await call(mount, 'deleteAlert', { id }, carl)
      again.expect(again.status === 404, 'a deleted alert is deleted again')
    })
  }

  const follow = async (mount: string) => {
    const check = async (isFollowed: boolean) => {
      for (const other of mounts) {
        const list = await call(other, 'listFollowers', { wallet: ann.wallet }, carl)
        const isListed = JSON.stringify(list.data).includes(carl.wallet)
        list.expect(isListed === isFollowed, isFollowed ? 'a follower is not listed' : 'a former follower is listed')
      }
    }
    await call(mount, 'followWallet', { wallet: ann.wallet }, carl)
    await check(true)
    await call(mount, 'unfollowWallet', { wallet: ann.wallet }, carl)
    await holds(() => check(false))
  }

  const revoke = async (mount: string, seed: number) => {
    const leaver = await signIn(base, keyOf(seed, 'leaver of a story'))
    await call(mount, 'logout', {}, leaver)
    await holds(async () => {
      for (const other of mounts) {
        const identity = await call(other, 'getIdentity', {}, leaver)
        identity.expect(identity.status === 401, 'a revoked token works')
      }
    })
  }

  const erase = async (mount: string, seed: number) => {
    const { data } = await call(mount, 'applyAsAmbassador', {}, carl, {
      ...{ name: 'Carl', email: `carl${seed}@example.org`, country: 'PT' },
      ...{ audience: 'Readers of the tests', motivation: 'To be erased' },
    })
    const id = String(data.id)
    const erased = await call(mount, 'eraseAmbassadorApplication', { id }, operator)
    if (erased.status === 403) return
    erased.expect(erased.status === 200, 'an application cannot be erased')
    await holds(async () => {
      for (const other of mounts) {
        const list = await call(other, 'listAmbassadorApplications', {}, operator)
        list.expect(list.data.items?.every((item) => item.id !== id) === true, 'an erased application is in the list')
        const again = await call(other, 'eraseAmbassadorApplication', { id }, operator)
        again.expect(again.status === 404, 'an erased application is erased again')
      }
    })
  }

  /** What seldom meets an id or a range that exists. */
  const decide = async (mount: string, address: string) => {
    const { id } = (await call(mount, 'postTokenComment', { address }, ann, { text: 'A comment to report' })).data
    const comment = { id: String(id) }
    await call(mount, 'reportComment', comment, bob, { reason: 'spam' })
    const reports = await call(mount, 'listReports', { status: 'open' }, operator)
    if (reports.status === 200) {
      const report = reports.data.items?.find((item) => JSON.stringify(item).includes(`"${id}"`))
      reports.expect(report !== undefined, 'an open report is not listed')
      const dismissed = await call(mount, 'dismissReport', { id: String(report?.id) }, operator, {})
      dismissed.expect(dismissed.status === 200, 'a report cannot be dismissed')
      const hidden = await call(mount, 'hideComment', comment, operator, {})
      hidden.expect(hidden.status === 200, 'a comment cannot be hidden')
    }
    await call(mount, 'readNotifications', {}, ann, { all: true })
  }

  const feed = async (mount: string) => {
    for (const name of ['dexScreener', 'geckoTerminal']) {
      const { json } = await call(mount, `${name}LatestBlock`, {}, ann)
      const latest = Number((json as { block: { blockNumber: number } }).block.blockNumber)
      const range = { fromBlock: String(Math.max(0, latest - 9_000)), toBlock: String(latest) }
      const events = await call(mount, `${name}Events`, range, ann)
      events.expect(events.status === 200, 'the events of a range that exists are refused')
    }
  }

  /** Operators may feature it again at any time, so it is looked at once. */
  const feature = async (mount: string, path: Record<string, string>, [set, unset, get]: [string, string, string]) => {
    for (const [id, isFeatured] of [
      [set, true],
      [unset, false],
    ] as const) {
      if ((await call(mount, id, path, operator)).status === 403) continue
      for (const other of mounts) {
        const thing = await call(other, get, path, operator)
        thing.expect(thing.data.featured === isFeatured, `after ${id} it says otherwise`)
      }
    }
  }

  /** A contract that every chain of anvil has, and that emits nothing. Operators may add it again at any time. */
  const deploy = async (mount: string) => {
    const address = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
    const deployment = { kind: 'uniswap-v3-factory', address, startBlock: 0 }
    if ((await call(mount, 'addDeployment', {}, operator, deployment)).status !== 200) return
    const removed = await call(mount, 'removeDeployment', { address }, operator)
    removed.expect(removed.data.removed === true, 'an added contract cannot be removed')
    for (const other of mounts) {
      const list = await call(other, 'listDeployments', {}, operator)
      const own = list.data.items?.find((item) => item.address === address)
      list.expect(own?.removed === true, 'a removed contract is followed')
    }
  }

  return {
    run: async (seed) => {
      const { data } = await call('', 'listTokens', {}, ann)
      const items = data.items ?? []
      const address = String(items[Math.abs(seed) % items.length]?.address)
      if (items.length === 0) throw new Error('The service has no token for the stories')
      for (const mount of mounts) {
        await comment(mount, address)
        await like(mount, address)
        await watch(mount, address)
        await alert(mount, address)
        await follow(mount)
        await revoke(mount, seed)
        await erase(mount, seed)
        await decide(mount, address)
        await feed(mount)
        await deploy(mount)
        await feature(mount, { address }, ['featureToken', 'unfeatureToken', 'getToken'])
        const [raise] = (await call(mount, 'listRaises', {}, carl)).data.items ?? []
        await feature(mount, { id: String(raise?.id) }, ['featureRaise', 'unfeatureRaise', 'getRaise'])
      }
    },
    recheck: async () => {
      for (const check of gone) await check()
      return operations.filter(({ method, id }) => method === 'DELETE' && !called.has(id)).map(({ id }) => id)
    },
  }
}
