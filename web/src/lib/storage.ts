/**
 * Storage of the browser by key. Where it is blocked, as by some privacy settings, reading the property itself throws: values then
 * last until the page is left. So do those that it has no room for.
 */
function createStorage(find: () => Storage) {
  const kept = new Map<string, string>()
  const attempt = <Result>(run: (storage: Storage) => Result, otherwise: () => Result): Result => {
    try {
      return run(find())
    } catch {
      return otherwise()
    }
  }
  return {
    getItem: (key: string): string | null =>
      kept.get(key) ??
      attempt(
        (storage) => storage.getItem(key),
        () => null,
      ),
    setItem(key: string, value: string): void {
      kept.delete(key)
      attempt(
        (storage) => storage.setItem(key, value),
        () => void kept.set(key, value),
      )
    },
    removeItem(key: string): void {
      kept.delete(key)
      attempt(
        (storage) => storage.removeItem(key),
        () => {},
      )
    },
  }
}

/** For all tabs, until it is removed. */
export const storage = createStorage(() => localStorage)

/** For this tab, until it is closed. */
export const tabStorage = createStorage(() => sessionStorage)

/** The object that is stored as JSON. Anything else that is there, such as a text of another version, is an empty one. */
export function readJson(from: Pick<Storage, 'getItem'>, key: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(from.getItem(key) ?? '{}'))
  } catch {
    return {}
  }
}
