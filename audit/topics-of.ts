import { type Abi, type Hex, toEventSelector } from 'viem'

export function topicOf(abi: Abi, name: string): Hex {
  const event = abi.find((item) => item.type === 'event' && item.name === name)
  if (event?.type !== 'event') throw new Error(`The ABI has no event ${name}`)
  return toEventSelector(event)
}

export const listTopics = (abi: Abi, ...names: string[]): Hex[] => names.map((name) => topicOf(abi, name))
