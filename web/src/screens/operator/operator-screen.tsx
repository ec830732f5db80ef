import { ConnectPrompt } from '../../components/connect-prompt.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Empty } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useUrlChoice } from '../../data/url-state.ts'
import { useTitle } from '../../lib/use-title.ts'
import { useSession } from '../../wallet/session.tsx'
import { Applications } from './applications.tsx'
import { AuditLog } from './audit-log.tsx'
import { Bans } from './bans.tsx'
import { Moderation } from './moderation.tsx'
import { Reports } from './reports.tsx'

const TABS = [
  { id: 'moderation', label: 'Moderation' },
  { id: 'reports', label: 'Reports' },
  { id: 'applications', label: 'Applications' },
  { id: 'bans', label: 'Bans' },
  { id: 'audit', label: 'Audit log' },
] as const

/** The service checks every operation again: this page only offers them. */
export function OperatorScreen() {
  useTitle('Operator')
  const { isSignedIn, identity } = useSession()
  const tabs = identity?.isAdmin ? TABS : TABS.slice(0, 1)
  const [tab, setTab] = useUrlChoice('tab', tabs, 'moderation')
  const title = <PageTitle title="Operator" />
  if (!isSignedIn)
    return (
      <>
        {title}
        <ConnectPrompt purpose="These pages are for wallets of operators." />
      </>
    )
  if (!identity) return title
  if (!identity.isAdmin && !identity.isLabs)
    return (
      <>
        {title}
        <div className="panel">
          <Empty icon="shield" title="This wallet is no operator">
            The operators are set in the configuration of the service.
          </Empty>
        </div>
      </>
    )
  return (
    <>
      {title}
      <section className="panel" aria-label="Operator">
        <Tabs label="Operator pages" tabs={tabs} selected={tab} onSelect={setTab}>
          {tab === 'moderation' && <Moderation identity={identity} />}
          {tab === 'reports' && <Reports />}
          {tab === 'applications' && <Applications />}
          {tab === 'bans' && <Bans />}
          {tab === 'audit' && <AuditLog />}
        </Tabs>
      </section>
    </>
  )
}
