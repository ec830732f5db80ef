import type { Request, Response } from './client.ts'
import type { ApiDocument, Operation } from './document.ts'
import type { Aim } from './plan.ts'
import type { Session } from './session.ts'

interface Ground {
  base: string
  document: ApiDocument
  sessions: [Session, Session]
  ask: (operation: Operation, aim: Aim, request: Request) => Promise<Response>
  note: (operation: Operation, aim: string, request: Request, problems: readonly string[]) => void
}

interface Stories {
  /** Makes things, and takes them away again, at every mount. */
  run(seed: number): Promise<void>
  /** Looks once more for everything that was taken away. */
  recheck(): Promise<void>
}

interface Told {
  data: Record<string, unknown> & { items?: Record<string, unknown>[] }
}

/** What is deleted, unliked or unfollowed must be gone at once, at every mount, and must stay so. */
export function createStories({ base, document, sessions: [ann, bob], ask, note }: Ground): Stories {
  const { operations, mounts } = document
  const gone: (() => Promise<void>)[] = []

  const call = async (mount: string, id: string, path: Record<string, string>, session: Session, body?: object) => {
    const operation = operations.find((one) => one.id === id)
    if (!operation) throw new Error(`The document has no operation ${id}`)
    const request: Request = {
      method: operation.method,
      url: base + mount + operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => path[name] ?? ''),
      headers: { ...session.headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    }
    const response = await ask(operation, 'accepts', request)
    return {
      status: response.status,
      data: ((response.json as Told | null)?.data ?? {}) as Told['data'],
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
    await call(mount, 'likeComment', { id }, bob)
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

  const like = async (mount: string, address: string, wallet: Session) => {
    for (const [id, liked] of [
      ['likeToken', true],
      ['unlikeToken', false],
    ] as const) {
      await call(mount, id, { address }, wallet)
      for (const other of mounts) {
        const token = await call(other, 'getToken', { address }, wallet)
        token.expect(token.data.likedByMe === liked, `after ${id} the token says otherwise`)
      }
    }
  }

  const follow = async (mount: string) => {
    for (const [id, follows] of [
      ['followWallet', true],
      ['unfollowWallet', false],
    ] as const) {
      await call(mount, id, { wallet: bob.wallet }, ann)
      for (const other of mounts) {
        const list = await call(other, 'listFollowers', { wallet: bob.wallet }, ann)
        list.expect(
          JSON.stringify(list.data).includes(ann.wallet) === follows,
          `after ${id} the followers say otherwise`,
        )
      }
    }
  }

  return {
    run: async (seed) => {
      const { data } = await call('', 'listTokens', {}, ann)
      const items = data.items ?? []
      const address = String(items[Math.abs(seed) % items.length]?.address)
      if (items.length === 0) throw new Error('The service has no token to tell stories of')
      for (const mount of mounts) {
        await comment(mount, address)
        await like(mount, address, bob)
        await follow(mount)
      }
    },
    recheck: async () => {
      for (const check of gone) await check()
    },
  }
}
