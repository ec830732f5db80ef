// Excluded, because they can disguise a link or end it early: whitespace, controls, direction marks, zero-width characters,
// markup, and the backslash, which some parsers treat as a slash.
const REST =
  '[^\\s<>"\\\\\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]'

/** Pattern of an https URL, without anchors. User info is rejected, as it can make a URL look like another site’s. */
export const HTTPS = `https://[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?(:[0-9]{1,5})?([/?#]${REST}*)?`

/** What it accepts, for the errors of fields that take nothing else. */
export const httpsUrl = 'an https URL, with letters, digits, dots and hyphens in its host'

/** Pattern of an ipfs URL with a content identifier, without anchors. */
export const IPFS = `ipfs://(ipfs/)?[a-zA-Z0-9_-]+([/?#]${REST}*)?`
