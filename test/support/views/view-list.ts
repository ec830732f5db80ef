/*
 * A client's copy of a view, kept by its messages alone. It applies them as docs/views.md says.
 */

export interface ViewMessage {
  type: string
  seq?: number
  /** Of `subscribed`. */
  snapshot?: { address: string }[]
  data?: unknown
}

interface Change {
  address?: string
  after?: string | null
  token?: { address: string }
}

export class ViewList {
  tokens: { address: string }[] = []
  /** The last seq. */
  seq = -1
  /** Messages that contradict the list, which must not come. */
  readonly problems: string[] = []

  get addresses(): string[] {
    return this.tokens.map(({ address }) => address)
  }

  receive({ type, seq = -1, snapshot, data }: ViewMessage): void {
    if (type === 'subscribed') {
      if (snapshot) this.tokens = [...snapshot]
      this.seq = seq
      return
    }
    if (seq <= this.seq) this.problems.push(`${type} has the seq ${seq} after ${this.seq}`)
    this.seq = seq
    const { address, after = null, token } = data as Change
    const known = this.addresses.indexOf(token?.address ?? address ?? '')
    if (known === -1 && type !== 'view.added') this.problems.push(`${type} of a token that is not there`)
    if (known !== -1) {
      if (type === 'view.added') this.problems.push('view.added of a token that is there')
      this.tokens.splice(known, 1)
    }
    if (!token) return
    const before = after === null ? -1 : this.addresses.indexOf(after)
    if (after !== null && before === -1) this.problems.push(`${type} after a token that is not there`)
    this.tokens.splice(before + 1, 0, token)
  }
}
