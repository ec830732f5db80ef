import { toUserMessage } from '@slipway/sdk'
import { Link } from '@tanstack/react-router'
import { type Alert, describeCondition, useAlertChanges } from '../data/alerts.ts'
import { useCoin } from '../data/config.tsx'
import { Button } from './button.tsx'
import { Age } from './figures.tsx'
import { Icon } from './icon.tsx'
import { TokenImage } from './token-image.tsx'
import { WalletName } from './wallet-name.tsx'

interface Props {
  alerts: readonly Alert[]
  /** Whether each names its token: not on the page of one. */
  hasNames?: boolean
}

/** Alerts with what triggers them and whether that has happened. */
export function AlertList({ alerts, hasNames = false }: Props) {
  return (
    <ul>
      {alerts.map((alert) => (
        <Item key={alert.id} alert={alert} hasName={hasNames} />
      ))}
    </ul>
  )
}

function Item({ alert, hasName }: { alert: Alert; hasName: boolean }) {
  const { remove } = useAlertChanges()
  const { symbol: coin } = useCoin()
  const { id, token, wallet, triggeredAt } = alert
  const condition = wallet ? 'Trades' : describeCondition(alert, coin)
  return (
    <li className="flex items-center gap-3 border-b border-line/60 px-4 py-2.5 last:border-0">
      {hasName && token && <TokenImage {...token} className="size-8" />}
      <div className="min-w-0 flex-1">
        {hasName && token && (
          <Link
            to="/token/$address"
            params={{ address: token.address }}
            className="block truncate font-semibold hover:underline"
          >
            <bdi>{token.name}</bdi>
          </Link>
        )}
        {wallet && <WalletName wallet={wallet.wallet} username={wallet.username} className="font-semibold" />}
        <p className={hasName ? 'text-xs text-muted' : 'font-semibold'}>{condition}</p>
        <p className="text-2xs text-faint">
          {triggeredAt ? (
            <>
              Triggered <Age iso={triggeredAt} />
            </>
          ) : (
            'Waiting'
          )}
        </p>
        {remove.error && (
          <p role="alert" className="text-xs font-semibold text-down">
            {toUserMessage(remove.error)}
          </p>
        )}
      </div>
      <Button
        kind="ghost"
        size="sm"
        aria-label={`Delete the alert: ${token ? `${token.symbol}, ` : ''}${condition}`}
        disabled={remove.isPending}
        onClick={() => remove.mutate(id)}
      >
        <Icon name="close" className="size-4" />
      </Button>
    </li>
  )
}
