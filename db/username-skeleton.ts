/*
 * Usernames consist of a to z, digits and underscores, so look-alikes in other scripts (Unicode TR39) cannot occur. The
 * table below folds the look-alikes within ASCII. Two names with the same skeleton count as the same name.
 */
const LOOKALIKES: readonly [RegExp, string][] = [
  [/_/g, ''],
  [/0/g, 'o'],
  [/[1i]/g, 'l'],
  [/5/g, 's'],
  [/8/g, 'b'],
  [/rn/g, 'm'],
  [/vv/g, 'w'],
]

/** The skeleton of a username, which is unique like the username itself. */
export function toSkeleton(username: string): string {
  return LOOKALIKES.reduce((skeleton, [pattern, plain]) => skeleton.replace(pattern, plain), username.toLowerCase())
}
