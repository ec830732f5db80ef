import t from 'tap'
import { type Abi, decodeEventLog, encodeAbiParameters, type Hex, parseEther } from 'viem'
import clankerV4 from '../fixtures/launchpads/clanker-v4.json' with { type: 'json' }
import flap from '../fixtures/launchpads/flap.json' with { type: 'json' }
import fourMemeV2 from '../fixtures/launchpads/four-meme-v2.json' with { type: 'json' }
import { clankerV4Events, flapEvents, fourMemeV2Events } from '../support/launchpads/abi.ts'

/** Logs of real chains: test/fixtures/launchpads. */
type Recorded = (typeof clankerV4)[number] | (typeof fourMemeV2)[number] | (typeof flap)[number]

function decode(abi: Abi, { log }: Recorded) {
  const { eventName, args } = decodeEventLog({
    ...{ abi, strict: true, data: log.data as Hex },
    topics: log.topics as [Hex, ...Hex[]],
  })
  return { eventName, args: args as unknown as Record<string, unknown> }
}

t.test('tokens that Clanker v4 created on Base decode, and so do those of a launchpad with the same event', (t) => {
  const weth = '0x4200000000000000000000000000000000000006'
  const [clanker, liquid] = clankerV4.map((recorded) => decode(clankerV4Events, recorded).args)
  t.match(clanker, {
    ...{ tokenAddress: '0x7533C2B35899D247837cA604cdf7931df015BFD1', tokenName: 'CANCER PATIENT DOGE' },
    ...{ tokenSymbol: 'CANCERDOGE', startingTick: -230_400, pairedToken: weth, extensionsSupply: 0n },
  })
  t.match(clanker!.tokenImage, /^https:/)
  t.equal(JSON.parse(String(clanker!.tokenContext)).interface, 'Clawnch')
  t.match(liquid, { tokenName: 'ScribbleCoin', tokenSymbol: 'SCRIBBLE', startingTick: -230_400, pairedToken: weth })
  t.not(clankerV4[0]!.log.address, clankerV4[1]!.log.address, 'only the address tells them apart')
  t.end()
})

t.test('a token that four.meme created on BNB Smart Chain decodes', (t) => {
  const { eventName, args } = decode(fourMemeV2Events, fourMemeV2[0]!)
  t.equal(eventName, 'TokenCreate')
  t.match(args, { token: '0x2f0A0f50C71A605704FB729d5Fd448789284FfFF', totalSupply: parseEther('1000000000') })
  t.equal(args.name, args.symbol)
  t.end()
})

t.test('a token that Flap created on BNB Smart Chain decodes', (t) => {
  const { eventName, args } = decode(flapEvents, flap[0]!)
  t.equal(eventName, 'TokenCreated')
  t.match(args, { token: /^0x096c955f71265b3969e5f8ba1df1c24328d67777$/i, name: 'Pump Bot', meta: /^bafkrei/ })
  t.end()
})

t.test('recorded logs have the canonical encoding of their event', (t) => {
  for (const [abi, logs] of [
    [clankerV4Events, clankerV4],
    [fourMemeV2Events, fourMemeV2],
    [flapEvents, flap],
  ] as const)
    for (const recorded of logs) {
      const { eventName, args } = decode(abi, recorded)
      const inputs = abi.find(({ name }) => name === eventName)!.inputs.filter((input) => !('indexed' in input))
      const values = inputs.map(({ name }) => args[name!])
      t.equal(encodeAbiParameters(inputs, values as never), recorded.log.data, recorded.launchpad)
    }
  t.end()
})
