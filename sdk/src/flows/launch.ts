import type { Client } from '../client.ts'
import { AlreadyIndexedError } from '../errors.ts'
import { createToken, listCreatedTokens, uploadImage, uploadMetadata } from '../operations.ts'
import { readTime } from '../service-time.ts'
import { buildLaunch, defaultDeadline, type LaunchTerms } from '../transactions/build-token.ts'
import { findContract } from '../transactions/unsigned-transaction.ts'
import type { Options, Schema } from '../types.ts'
import { type AmountLike, type Hash, type Hex, toBigInt } from '../values.ts'
import type { Wallet } from '../wallet.ts'
import { GRADUATION_GAS, readLaunchTerms } from './call-node.ts'
import { type ResumableOptions, type Session, sendAndWait, startSession } from './send.ts'
import { syncTrades } from './trade.ts'
import { syncMined } from './transact.ts'

type Links = NonNullable<Options<'createToken'>['body']['links']>

export interface LaunchFlowOptions extends ResumableOptions {
  /** 1 to `contractLimits.nameBytes` bytes of UTF-8: see getConfig. */
  name: string
  /** 1 to `contractLimits.symbolBytes` bytes of UTF-8. */
  symbol: string
  description?: string
  /** PNG, JPEG, WebP or GIF, at most 5 MB; or the URL of an image. */
  image?: Blob | string
  banner?: Blob | string
  links?: Links
  /** Native coin to buy tokens with in the same transaction, fees included. */
  initialBuy?: AmountLike
  /** Tokens that the initial buy must at least yield. */
  minimumOut?: AmountLike
  /** Terms that the creator has seen and agrees to; by default those that hold now. */
  terms?: LaunchTerms
  /** Determines the token's address, together with the creator: see readTokenAddress. Random by default. */
  salt?: Hex
  /** Unix seconds; by default 20 minutes after the images and the metadata are uploaded, by the time of the service. */
  deadline?: number
}

export interface LaunchResult {
  txHash: Hash
  token: Schema<'Token'>
  /** The initial buy, if there was one. */
  trades: Schema<'Trade'>[]
}

/**
 * Launches a token: uploads the images and the metadata, sends the transaction, waits for it and syncs the token and its initial
 * buy. An empty text or link is one that is not given. Throws a RangeError, before it uploads anything, if the contract would reject
 * the name or the symbol; SlipwayError if an upload or the sync fails, with `txHash` after the transaction was sent; and RevertError if
 * the contract rejects the launch. The service checks all texts and links with the metadata, before anything is sent.
 */
export async function launch(client: Client, wallet: Wallet, options: LaunchFlowOptions): Promise<LaunchResult> {
  const { name, symbol, description, initialBuy = 0n, minimumOut = 0n } = options
  const links = pickGiven(options.links ?? {})
  const session = await startSession(client, wallet, options)
  const { nameBytes, symbolBytes } = session.config.contractLimits
  checkLength('name', name, nameBytes)
  checkLength('symbol', symbol, symbolBytes)
  const [imageUrl, bannerUrl] = [await upload(session, options.image), await upload(session, options.banner)]
  const text = pickGiven({
    description,
    imageUrl: isForToken(imageUrl) ? imageUrl : '',
    bannerUrl: isForToken(bannerUrl) ? bannerUrl : '',
  })
  const { website, ...profiles } = links
  const document = { ...profiles, description, image: imageUrl, banner_image: bannerUrl, external_link: website }
  const { uri } = await uploadMetadata(client, {
    body: { name, symbol, ...pickGiven(document) },
    ...withSignal(session),
  })
  const terms = options.terms ?? (await readTerms(session))
  const { salt, deadline = defaultDeadline(readTime(client)) } = options
  const own = { name, symbol, metadataUri: uri, terms, deadline, ...(salt && { salt }) }
  const transaction = buildLaunch(session.config, { ...own, initialBuy, minimumOut })
  const extraGas = toBigInt(initialBuy) > toBigInt(terms.targetQuote) ? GRADUATION_GAS : 0n
  const txHash = await sendAndWait(session, transaction, { extraGas })
  const token = await syncLaunch(session, txHash, { ...text, links })
  const hasBought = toBigInt(initialBuy) > 0n
  const trades = hasBought ? await syncTrades(session, { txHash, side: 'buy', token: token.address }) : []
  return { txHash, token, trades }
}

type Given<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> }

/** The fields that have a text. */
const pickGiven = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, text]) => text)) as Given<Fields>

const MAX_URL = 500

/** Whether a token may have this URL of an image. Others are in the metadata alone, from which the service reads the image. */
const isForToken = (url = ''): boolean => url.length <= MAX_URL && !url.startsWith('ipfs:')

function checkLength(field: string, text: string, maximum: number): void {
  const { length } = new TextEncoder().encode(text)
  if (length === 0 || length > maximum)
    throw new RangeError(`The ${field} has ${length} bytes of UTF-8; 1 to ${maximum} are allowed`)
}

async function upload(session: Session, image: Blob | string | undefined): Promise<string | undefined> {
  if (image === undefined || typeof image === 'string') return image || undefined
  session.options.onStep?.({ name: 'upload' })
  const { url } = await uploadImage(session.client, { body: { file: image }, ...withSignal(session) })
  return url
}

const readTerms = (session: Session): Promise<LaunchTerms> =>
  readLaunchTerms(session.client, findContract(session.config, 'launchpad'), withSignal(session))

const withSignal = ({ options: { signal } }: Session): { signal?: AbortSignal } => (signal ? { signal } : {})

/** Syncs the launch. If it was synced before, as after a lost response, the token is read instead. */
async function syncLaunch(
  session: Session,
  txHash: Hash,
  text: Omit<Options<'createToken'>['body'], 'txHash'>,
): Promise<Schema<'Token'>> {
  const launched = await syncMined(session, createToken, txHash, { body: text }).then(
    ({ tokens }) => tokens,
    async (error: unknown) => {
      if (!(error instanceof AlreadyIndexedError)) throw error
      const { items } = await listCreatedTokens(session.client, { path: { wallet: session.address } })
      return items.filter((token) => token.txHash === txHash)
    },
  )
  const [token] = launched
  if (!token) throw new Error(`The transaction ${txHash} launched no token`)
  return token
}
