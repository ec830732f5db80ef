import { Button } from '../../components/button.tsx'
import { showFailure } from '../../data/failures.ts'
import { useSession } from '../../wallet/session.tsx'

/** For a connected wallet that has not signed in: until then, its commitment and its votes are unknown. */
export function SignInPrompt({ label }: { label: string }) {
  const { wallet, isSignedIn, isSigningIn, ensure } = useSession()
  if (!wallet || isSignedIn) return null
  return (
    <Button
      size="sm"
      className="justify-self-start"
      disabled={isSigningIn}
      onClick={() => void ensure().catch(showFailure)}
    >
      {isSigningIn ? 'Signing in…' : label}
    </Button>
  )
}
