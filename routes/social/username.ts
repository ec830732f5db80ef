import { toSkeleton } from '../../db/username-skeleton.ts'
import { AppError } from '../../errors.ts'

/** Reserved names: readers could take them for the service, or for a missing name. */
const RESERVED = new Set(
  [
    ...['all', 'anonymous', 'api', 'bot', 'contact', 'deleted', 'everyone', 'governance', 'guest', 'help', 'here'],
    ...['info', 'labs', 'launchpad', 'legal', 'me', 'mod', 'news', 'nobody', 'none', 'null', 'operator', 'operators'],
    ...['owner', 'privacy', 'root', 'security', 'self', 'staff', 'status', 'sysop', 'system', 'team', 'treasury'],
    ...['undefined', 'unknown', 'user', 'wallet', 'webmaster', 'you'],
  ].map(toSkeleton),
)
/** Substrings that are not allowed in a username. */
const CLAIMS = ['admin', 'moderator', 'official', 'support'].map(toSkeleton)

/** Skeleton of a username. Throws INVALID_INPUT for a name that impersonates the service or the brand. */
export function checkUsername(username: string, brand: string): string {
  const skeleton = toSkeleton(username)
  const ofBrand = toSkeleton(brand.replace(/[^A-Za-z0-9]/g, ''))
  const claims = ofBrand.length >= 3 ? [...CLAIMS, ofBrand] : CLAIMS
  if (RESERVED.has(skeleton) || claims.some((claim) => skeleton.includes(claim)))
    throw new AppError('INVALID_INPUT', { field: 'body.username', problem: 'is reserved' })
  return skeleton
}
