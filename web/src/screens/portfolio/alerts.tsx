import { AlertList } from '../../components/alert-list.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { useAlerts } from '../../data/alerts.ts'
import { useSession } from '../../wallet/session.tsx'

/** The alerts of the signed-in wallet. Nothing without a sign-in, because nobody else sees them. */
export function Alerts() {
  const { isSignedIn } = useSession()
  const query = useAlerts()
  if (!isSignedIn) return null
  return (
    <section aria-labelledby="alerts" className="panel">
      <h2 id="alerts" className="border-b border-line px-4 py-2.5 font-bold">
        Alerts
      </h2>
      <QueryState query={query} loading={<SkeletonRows count={2} />}>
        {() =>
          query.items.length === 0 ? (
            <Empty icon="bell" title="You have no alerts">
              The bell of a token notifies you of its price, and that of a profile of the trades of a wallet.
            </Empty>
          ) : (
            <AlertList alerts={query.items} hasNames />
          )
        }
      </QueryState>
      <ShowMore list={query} />
    </section>
  )
}
