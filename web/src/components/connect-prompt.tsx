import { showFailure } from '../data/failures.ts'
import { useSession } from '../wallet/session.tsx'
import { Button } from './button.tsx'
import { Empty } from './states.tsx'

/** Shown where a wallet, or its signature, is missing. */
export function ConnectPrompt({ purpose }: { purpose: string }) {
  const { wallet, isSigningIn, ensure, setConnecting } = useSession()
  return (
    <div className="panel">
      <Empty icon="wallet" title={wallet ? 'Sign in with your wallet' : 'Connect a wallet'}>
        <p className="mb-4">{purpose}</p>
        {wallet ? (
          <Button kind="primary" disabled={isSigningIn} onClick={() => void ensure().catch(showFailure)}>
            {isSigningIn ? 'Signing in…' : 'Sign in'}
          </Button>
        ) : (
          <Button kind="primary" onClick={() => setConnecting(true)}>
            Connect
          </Button>
        )}
      </Empty>
    </div>
  )
}
