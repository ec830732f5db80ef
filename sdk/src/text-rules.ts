// Generated from schemas by scripts/generate/sdk.ts. Do not edit: npm run generate:sdk

/** What the service accepts for a text: lengths in code points, or in graphemes, and a pattern with the `u` flag. */
export const textRules = {
  name: {"minLength":1,"maxLength":100,"pattern":"^[^\\u0000-\\u001f\\u007f]*$","expects":"must not contain control characters"},
  symbol: {"minLength":1,"maxLength":32,"pattern":"^[^\\u0000-\\u001f\\u007f]*$","expects":"must not contain control characters"},
  description: {"minLength":1,"maxLength":1000,"pattern":"^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$","expects":"must not contain control characters or bidirectional overrides"},
  website: {"maxLength":500,"pattern":"^https://[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?(:[0-9]{1,5})?([/?#][^\\s<>\"\\\\\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]*)?$","expects":"must be an https URL, with letters, digits, dots and hyphens in its host"},
  twitter: {"maxLength":500,"pattern":"^https://(www\\.)?(x|twitter)\\.com/[a-zA-Z0-9_][a-zA-Z0-9_/-]{0,99}$","expects":"must be the URL of a profile or community on X, without a query"},
  telegram: {"maxLength":500,"pattern":"^https://(t|telegram)\\.me/[a-zA-Z0-9_+][a-zA-Z0-9_+/-]{0,99}$","expects":"must be the URL of a channel or group on Telegram, without a query"},
  discord: {"maxLength":500,"pattern":"^https://(discord\\.gg|(www\\.)?discord\\.com/invite)/[a-zA-Z0-9-]{1,64}$","expects":"must be the URL of an invitation to a Discord server, without a query"},
  username: {"pattern":"^(?!0[xX])(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9_]{3,20}$","expects":"must be 3 to 20 letters a to z, digits and underscores, with a letter, and not begin with 0x"},
  bio: {"minLength":1,"maxGraphemes":300,"pattern":"^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$","expects":"must not contain control characters or bidirectional overrides"},
  text: {"minLength":1,"maxGraphemes":500,"pattern":"^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$","expects":"must not contain control characters or bidirectional overrides"},
  note: {"minLength":1,"maxGraphemes":500,"pattern":"^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$","expects":"must not contain control characters or bidirectional overrides"},
} as const
