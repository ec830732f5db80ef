export type Encoding = 'br' | 'gzip'

/** The best of the offered encodings that Accept-Encoding allows; null for none. */
export function chooseEncoding(
  header: string | undefined,
  offered: { readonly [one in Encoding]?: unknown },
): Encoding | null {
  const accepted = new Map(
    (header ?? '').split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase())
      const weight = parameters.find((one) => one.startsWith('q='))?.slice(2)
      return [name, weight === undefined || Number(weight) > 0]
    }),
  )
  const accepts = (name: string) => accepted.get(name) ?? accepted.get('*') ?? false
  if (offered.br && accepts('br')) return 'br'
  return offered.gzip && accepts('gzip') ? 'gzip' : null
}
