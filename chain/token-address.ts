import { type Address, concat, encodeAbiParameters, getContractAddress, type Hex, keccak256 } from 'viem'

/** Creation code of a minimal clone (EIP-1167), around the address of its implementation. */
const [BEFORE, AFTER] = ['0x3d602d80600a3d3981f3363d3d373d3d3d363d73', '0x5af43d82803e903d91602b57fd5bf3'] as const

/** The address at which a launch by `creator` with `salt` puts its token: `tokenAddress` of the contract. */
export function predictToken(launchpad: Address, creator: Address, salt: Hex): Address {
  // A contract's first creation has nonce 1 (EIP-161): a launchpad's constructor creates the implementation.
  const implementation = getContractAddress({ from: launchpad, nonce: 1n })
  const own = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [creator, salt]))
  const bytecode = concat([BEFORE, implementation, AFTER])
  return getContractAddress({ opcode: 'CREATE2', from: launchpad, salt: own, bytecode }).toLowerCase() as Address
}
