import { type ComponentType, use } from 'react'

/** A part of the client that could not be loaded: the service does not respond, or its build was replaced. */
export class PartNotLoadedError extends Error {
  override readonly name = 'PartNotLoadedError'
  /** Loads the part again. Resolves to whether that worked. */
  readonly load: () => Promise<boolean>

  constructor(load: () => Promise<boolean>, cause: unknown) {
    super('This part of the page could not be loaded', { cause })
    this.load = load
  }
}

const preloads: (() => Promise<boolean>)[] = []

/**
 * A component in a chunk of its own. A chunk that fails to load throws PartNotLoadedError to the error boundary. (The loader of
 * the router reloads the document instead, which without a service leaves a page of the browser.)
 */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let Loaded: ComponentType<Props> | undefined
  let failure: unknown
  let loading: Promise<boolean> | undefined
  const preload = () => {
    loading ??= load().then(
      (component) => {
        Loaded = component
        return true
      },
      (error: unknown) => {
        failure = error
        loading = undefined
        return false
      },
    )
    return loading
  }
  const retry = () => {
    failure = undefined
    return preload()
  }
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each chunk, at module level
  function Lazy(props: Props) {
    if (Loaded) return <Loaded {...props} />
    if (failure) throw new PartNotLoadedError(retry, failure)
    use(preload())
    return null
  }
  preloads.push(preload)
  return Object.assign(Lazy, { preload: async () => void (await preload()) })
}

/** Loads all chunks one by one while the browser is idle, so that a later outage does not stop navigation. */
export async function preloadWhenIdle(): Promise<void> {
  for (const preload of preloads) {
    await new Promise<void>((resolve) => {
      if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: 5_000 })
      else setTimeout(resolve, 500)
    })
    if (!(await preload())) return
  }
}
