import { describeError } from '@slipway/sdk'
import { Link } from '@tanstack/react-router'
import { Button, buttonClass } from '../components/button.tsx'
import { Empty } from '../components/states.tsx'

export function MissingScreen() {
  return (
    <Empty icon="search" title="There is no such page">
      <Link to="/" className={`${buttonClass({ kind: 'primary' })} mt-2`}>
        To the market
      </Link>
    </Empty>
  )
}

export function CrashScreen({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <div role="alert">
      <Empty icon="close" title="This page failed">
        <p className="mb-3">{describeError(error)}</p>
        <Button onClick={reset}>Try again</Button>
      </Empty>
    </div>
  )
}
