/** Limits of Launchpad.create, in bytes of UTF-8. */
export const contractLimits = { nameBytes: 64, symbolBytes: 16, uriBytes: 512 } as const
