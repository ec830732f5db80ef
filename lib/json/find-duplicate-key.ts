const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c]
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d]

/** An object or array that is open at the current position. */
interface Level {
  /** Keys so far; null in an array. Becomes a Set at the ninth key: most objects have few. */
  keys: string[] | Set<string> | null
  /** Key or index of the current value. */
  at: string | number
}

const FEW = 8

/**
 * Path of the first duplicate key, such as ['items', 0, 'id']; null if there is none. Parsers disagree on which duplicate
 * counts. `text` must be valid JSON, null if a string has no end; keys are compared unescaped. One pass, linear time and memory.
 */
export function findDuplicateKey(text: string): (string | number)[] | null {
  const levels: Level[] = []
  let level: Level | undefined
  /** Whether the next string is a key. */
  let isKey = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = findEnd(text, at + 1)
      if (end < 0) return null
      if (isKey && level) {
        const raw = text.slice(at + 1, end)
        const key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw
        level.at = key
        if (!add(level, key)) return levels.map(({ at }) => at)
      }
      at = end
    } else if (code === COLON) isKey = false
    else if (code === COMMA && level) {
      if (level.keys === null) level.at = (level.at as number) + 1
      else isKey = true
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      isKey = code === OPEN_OBJECT
      level = { keys: isKey ? [] : null, at: 0 }
      levels.push(level)
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      levels.pop()
      level = levels.at(-1)
      isKey = false
    }
  }
  return null
}

/** Index of the closing quote of a string; -1 if there is none. */
function findEnd(text: string, start: number): number {
  let end = text.indexOf('"', start)
  while (end >= 0 && isEscaped(text, end, start)) end = text.indexOf('"', end + 1)
  return end
}

/** Whether an odd number of backslashes precedes `at`. */
function isEscaped(text: string, at: number, start: number): boolean {
  let before = at - 1
  while (before >= start && text.charCodeAt(before) === BACKSLASH) before--
  return (at - 1 - before) % 2 === 1
}

/** Adds a key. False if it is a duplicate. */
function add(level: Level, key: string): boolean {
  if (level.keys instanceof Set) {
    const { size } = level.keys
    return level.keys.add(key).size > size
  }
  const keys = level.keys as string[]
  if (keys.includes(key)) return false
  keys.push(key)
  if (keys.length > FEW) level.keys = new Set(keys)
  return true
}
