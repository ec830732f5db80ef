/*
 * Usernames are of a to z, digits and underscores, so that none of the thousands of look-alikes of other scripts has to be
 * known (Unicode's TR39 lists them). What is left is alike within ASCII: the table below, in the letter case that folds
 * together most. Two names with the same skeleton are the same name.
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

/** What a username looks like: unique beside the username itself. */
export function toSkeleton(username: string): string {
  return LOOKALIKES.reduce((skeleton, [pattern, plain]) => skeleton.replace(pattern, plain), username.toLowerCase())
}
