import { toSkeleton } from '../../db/username-skeleton.ts'
import { AppError } from '../../errors.ts'

/** Names of nobody: a reader would take them for the service, or for no name at all. */
const RESERVED = new Set(
  [
    ...['all', 'anonymous', 'api', 'bot', 'contact', 'deleted', 'everyone', 'governance', 'guest', 'help', 'here'],
    ...['info', 'labs', 'launchpad', 'legal', 'me', 'mod', 'news', 'nobody', 'none', 'null', 'operator', 'operators'],
    ...['owner', 'privacy', 'root', 'security', 'self', 'staff', 'status', 'sysop', 'system', 'team', 'treasury'],
    ...['undefined', 'unknown', 'user', 'wallet', 'webmaster', 'you'],
  ].map(toSkeleton),
)
/** What no name may contain, wherever in it. */
const CLAIMS = ['admin', 'moderator', 'official', 'support'].map(toSkeleton)

/** The skeleton of a username. Throws INVALID_INPUT for one that passes for the service, by the brand's name or its own. */
export function checkUsername(username: string, brand: string): string {
  const skeleton = toSkeleton(username)
  const ofBrand = toSkeleton(brand.replace(/[^A-Za-z0-9]/g, ''))
  const claims = ofBrand.length >= 3 ? [...CLAIMS, ofBrand] : CLAIMS
  if (RESERVED.has(skeleton) || claims.some((claim) => skeleton.includes(claim)))
    throw new AppError('INVALID_INPUT', { field: 'body.username', problem: 'is reserved' })
  return skeleton
}
