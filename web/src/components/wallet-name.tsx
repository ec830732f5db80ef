import { Link } from '@tanstack/react-router'
import { useName } from '../data/names.ts'
import { shorten } from '../lib/links.ts'

interface Props {
  wallet: string
  /** From the record itself: null if the wallet has none. */
  username?: string | null
  className?: string
}

/** The username of a wallet if it has one, else its short address; leads to its profile. */
export function WalletName({ wallet, username, className = '' }: Props) {
  const known = useName(wallet, username !== undefined)
  const name = username ?? known
  return (
    <Link
      to="/profile/$wallet"
      params={{ wallet }}
      title={wallet}
      className={`hover:text-accent-ink hover:underline ${name ? '' : 'font-mono text-[0.94em]'} ${className}`}
    >
      {name ?? shorten(wallet)}
    </Link>
  )
}
