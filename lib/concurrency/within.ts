/** Rejects after a timeout. The promise itself continues; its outcome is ignored. */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const { promise: deadline, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`No answer within ${milliseconds} ms`)), milliseconds)
  promise.catch(() => {})
  try {
    return await Promise.race([promise, deadline])
  } finally {
    clearTimeout(timer)
  }
}
