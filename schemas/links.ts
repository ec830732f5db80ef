// What can make a link read as another, or end it early: blanks, controls, direction marks, characters without a width,
// markup, and the backslash, which some readers take for a slash.
const REST =
  '[^\\s<>"\\\\\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]'

/** An https URL, as a pattern without anchors. No user part before the host: it makes one site's URL look like another's. */
export const HTTPS = `https://[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?(:[0-9]{1,5})?([/?#]${REST}*)?`

/** The same of an ipfs URL, by its content identifier. */
export const IPFS = `ipfs://(ipfs/)?[a-zA-Z0-9_-]+([/?#]${REST}*)?`
