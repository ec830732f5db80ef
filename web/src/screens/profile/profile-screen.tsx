import type { Schema } from '@slipway/sdk'
import { formatCount } from '@slipway/sdk/helpers'
import { useList, useOperation } from '@slipway/sdk/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ChainReference } from '../../components/explorer-link.tsx'
import { Icon } from '../../components/icon.tsx'
import { isMissing, Missing } from '../../components/missing.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, Skeleton, SkeletonRows } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { useAlertChanges, useAlerts } from '../../data/alerts.ts'
import { showFailure } from '../../data/failures.ts'
import { learnNames } from '../../data/names.ts'
import { reloadProfiles } from '../../data/profiles.ts'
import { SHOWS_FAILURES } from '../../data/query-client.ts'
import { useUrlChoice } from '../../data/url-state.ts'
import { api } from '../../lib/api.ts'
import { shorten } from '../../lib/links.ts'
import { formatTime } from '../../lib/time.ts'
import { useTitle } from '../../lib/use-title.ts'
import { useSession } from '../../wallet/session.tsx'
import { ChangeNote, TokenCard } from '../home/token-card.tsx'
import { TransactionList } from '../portfolio/transaction-list.tsx'
import { FollowList } from './follow-list.tsx'
import { ProfileForm } from './profile-form.tsx'
import { TradingStats } from './trading-stats.tsx'

type Profile = Schema<'Profile'>

const PROFILE_LINKS = [
  { to: '/', label: 'To the market' },
  { to: '/leaderboard', label: 'Leaderboard' },
] as const

/** The profile of a wallet, by its address or its username. */
export function ProfileScreen() {
  const { wallet: given } = useParams({ from: '/profile/$wallet' })
  const isAddress = given.startsWith('0x')
  const byAddress = useOperation(api.profiles.get.with(given.toLowerCase()), { enabled: isAddress })
  const byName = useOperation(api.profiles.named.with(given), { enabled: !isAddress })
  const query = isAddress ? byAddress : byName
  const { data, error } = query
  useTitle(data ? (data.username ?? shorten(data.wallet)) : undefined)
  useEffect(() => learnNames([data]), [data])
  if (!data && isMissing(error))
    return (
      <Missing title="There is no such profile" links={PROFILE_LINKS}>
        No wallet has the username or address <span className="font-mono">{given}</span>.
      </Missing>
    )
  return (
    <div className="mx-auto max-w-5xl">
      <QueryState query={query} loading={<Skeleton className="h-36 rounded-lg" />}>
        {(profile) => <ProfilePage key={profile.wallet} profile={profile} />}
      </QueryState>
    </div>
  )
}

const TABS = [{ id: 'created' }, { id: 'followers' }, { id: 'following' }, { id: 'activity' }] as const

function ProfilePage({ profile }: { profile: Profile }) {
  const { wallet: own } = useSession()
  const [tab, setTab] = useUrlChoice('tab', TABS, 'created')
  const [isEditing, setEditing] = useState(false)
  const { wallet } = profile
  const isOwn = own === wallet
  return (
    <div className="grid gap-4">
      <header className="panel flex flex-wrap items-center gap-4 p-5">
        <TokenImage
          address={wallet}
          symbol={profile.username ?? '0x'}
          imageUrl={profile.avatarUrl}
          className="size-20"
          shape="round"
        />
        <div className="min-w-0 flex-1 basis-64">
          <h1 className="truncate text-xl font-bold">{profile.username ?? shorten(wallet)}</h1>
          <p className="text-xs text-muted">
            <ChainReference kind="address" value={wallet} label="Copy the address" />
          </p>
          {profile.bio && (
            <p dir="auto" className="mt-2 whitespace-pre-wrap text-muted">
              {profile.bio}
            </p>
          )}
          {profile.joinedAt && <p className="mt-1 text-2xs text-faint">Joined {formatTime(profile.joinedAt)}</p>}
        </div>
        {isOwn ? (
          <Button onClick={() => setEditing(!isEditing)} aria-expanded={isEditing}>
            {isEditing ? 'Close' : 'Edit profile'}
          </Button>
        ) : (
          <div className="flex gap-2">
            <TradeAlertButton wallet={wallet} />
            <FollowButton profile={profile} />
          </div>
        )}
      </header>
      {isOwn && isEditing && <ProfileForm profile={profile} onDone={() => setEditing(false)} />}
      <TradingStats wallet={wallet} />
      <section className="panel" aria-label="Activity of the profile">
        <Tabs
          label="Activity of the profile"
          tabs={[
            { id: 'created', label: `Launched (${formatCount(profile.createdTokens)})` },
            { id: 'followers', label: `Followers (${formatCount(profile.followerCount)})` },
            { id: 'following', label: `Following (${formatCount(profile.followingCount)})` },
            { id: 'activity', label: 'Transactions' },
          ]}
          selected={tab}
          onSelect={setTab}
        >
          {tab === 'created' && <CreatedTokens wallet={wallet} />}
          {(tab === 'followers' || tab === 'following') && <FollowList key={tab} wallet={wallet} side={tab} />}
          {tab === 'activity' && <TransactionList wallet={wallet} />}
        </Tabs>
      </section>
    </div>
  )
}

function CreatedTokens({ wallet }: { wallet: string }) {
  const query = useList(api.profiles.createdTokens.with(wallet, { limit: 50 }))
  return (
    <QueryState query={query} loading={<SkeletonRows count={3} className="h-14" />}>
      {() =>
        query.items.length === 0 ? (
          <Empty icon="rocket" title="No tokens launched" />
        ) : (
          <>
            <p className="border-b border-line/70 px-3.5 py-1.5 text-right">
              <ChangeNote />
            </p>
            <ul>
              {query.items.map((token) => (
                <TokenCard key={token.address} token={token} />
              ))}
            </ul>
            <ShowMore list={query} />
          </>
        )
      }
    </QueryState>
  )
}

/** Notifies the signed-in wallet of the trades of this one, until it is pressed again. */
function TradeAlertButton({ wallet }: { wallet: string }) {
  const { wallet: own, setConnecting } = useSession()
  const { items } = useAlerts()
  const { create, remove } = useAlertChanges()
  const alert = items.find((one) => one.wallet?.wallet === wallet)
  const change = () =>
    alert
      ? remove.mutate(alert.id, { onError: showFailure })
      : create.mutate({ type: 'trade', wallet }, { onError: showFailure })
  return (
    <Button
      aria-pressed={alert !== undefined}
      aria-label="Notify me of its trades"
      title="Notify me of its trades"
      disabled={create.isPending || remove.isPending}
      onClick={() => (own ? change() : setConnecting(true))}
      className={alert ? 'text-accent' : ''}
    >
      <Icon name="bell" className={`size-4 ${alert ? 'fill-current' : ''}`} />
    </Button>
  )
}

function FollowButton({ profile }: { profile: Profile }) {
  const client = useQueryClient()
  const { wallet, ensure, setConnecting } = useSession()
  const isFollowed = profile.followedByMe === true
  const change = useMutation({
    meta: SHOWS_FAILURES,
    mutationFn: async () => {
      await ensure()
      return (isFollowed ? api.follows.unfollow : api.follows.follow)(profile.wallet)
    },
    onSuccess: () => reloadProfiles(client),
  })
  return (
    <Button
      kind={isFollowed ? 'plain' : 'primary'}
      aria-pressed={isFollowed}
      disabled={change.isPending}
      onClick={() => (wallet ? change.mutate() : setConnecting(true))}
    >
      {isFollowed ? 'Following' : 'Follow'}
    </Button>
  )
}
