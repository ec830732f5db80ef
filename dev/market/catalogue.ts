/** A token of the demonstration market and the course of its price. */
export interface Listing {
  name: string
  symbol: string
  description: string
  /** Background and foreground colour (hex), and an SVG path in an 8 by 8 view box. */
  art: readonly [background: string, foreground: string, path: string]
  /** Where its metadata is: in the URI itself, or on IPFS. */
  metadata: 'inline' | 'ipfs'
  launchedHoursAgo: number
  /** Account index of the creator; firstBuy is its initial buy in native coin. */
  creator: number
  firstBuy: number
  trades: number
  /** Levels (see levelOf) that the price passes, evenly spaced in time from launch to now. */
  levels: readonly number[]
  /** Standard deviation of trades from the level, as a fraction of it. */
  noise: number
  /** Whether the curve completes, and whether the token then graduates. Default: it stays on the curve. */
  ending?: 'completed' | 'graduated'
}

const CAT = 'M1 1l2 2h2l2-2v6H1z'
const STAR = 'M4 0l1 3h3L5.5 5l1 3L4 6 1.5 8l1-3L0 3h3z'

/** In order of launch. */
export const catalogue: readonly Listing[] = [
  {
    name: 'Harbor Cat',
    symbol: 'HCAT',
    description: 'She was here before the harbor. She tolerates the boats.',
    art: ['#0b3954', '#f4a259', CAT],
    metadata: 'inline',
    launchedHoursAgo: 71.6,
    creator: 1,
    firstBuy: 0.2,
    trades: 62,
    levels: [0.04, 0.19, 0.423, 0.731, 1.047, 1.182, 1.325, 1.475, 1.66, 1.88, 2.1],
    noise: 0.07,
    ending: 'graduated',
  },
  {
    name: 'Slow Tortoise',
    symbol: 'SLOW',
    description: 'No roadmap. No rush.',
    art: ['#dad7cd', '#588157', 'M1 5a3 3 0 0 1 6 0z'],
    metadata: 'inline',
    launchedHoursAgo: 70,
    creator: 2,
    firstBuy: 0.5,
    trades: 26,
    levels: [0.15, 0.17],
    noise: 0.07,
  },
  {
    name: 'Paper Kite',
    symbol: 'KITE',
    description: 'Goes up in a good wind. Comes down in any other.',
    art: ['#8ecae6', '#d62828', 'M4 0l3 3-3 5-3-5z'],
    metadata: 'inline',
    launchedHoursAgo: 66,
    creator: 3,
    firstBuy: 0.3,
    trades: 54,
    levels: [0.06, 0.353, 0.673, 1.02, 1.503, 1.08, 0.803, 0.62, 0.54, 0.46, 0.38],
    noise: 0.08,
    ending: 'graduated',
  },
  {
    name: 'Marzipan',
    symbol: 'MRZPN',
    description: 'Sweet at first.',
    art: ['#fefae0', '#bc6c25', 'M2 2h4v4H2z'],
    metadata: 'inline',
    launchedHoursAgo: 55,
    creator: 4,
    firstBuy: 1.1,
    trades: 34,
    levels: [0.18, 0.67, 0.34, 0.215, 0.132, 0.111, 0.091, 0.07, 0.05],
    noise: 0.08,
  },
  {
    name: 'Night Ferry',
    symbol: 'FERRY',
    description: 'Departs 23:40, arrives when it arrives.',
    art: ['#14213d', '#fca311', 'M0 5h8L7 7H1zM3 2h2v3H3z'],
    metadata: 'inline',
    launchedHoursAgo: 50,
    creator: 5,
    firstBuy: 0.25,
    trades: 56,
    levels: [0.05, 0.225, 0.4, 0.813, 1.13, 1.35, 0.9, 1.267, 1.277, 1.05, 1.3],
    noise: 0.12,
    ending: 'graduated',
  },
  {
    name: 'Turnip Futures',
    symbol: 'TURNIP',
    description: 'Delivery in autumn, probably.',
    art: ['#f1faee', '#9d4edd', 'M4 2a3 3 0 0 1 0 6 3 3 0 0 1 0-6zM3 0h2v2H3z'],
    metadata: 'inline',
    launchedHoursAgo: 44,
    creator: 6,
    firstBuy: 0.1,
    trades: 48,
    levels: [0.03, 0.277, 0.34, 0.22, 0.44, 0.45, 0.25, 0.47, 0.487, 0.3, 0.45],
    noise: 0.2,
  },
  {
    name: 'Moss Garden',
    symbol: 'MOSS',
    description: 'Grows while nobody looks. Nearly there.',
    art: ['#283618', '#a7c957', 'M0 6a2 2 0 0 1 4-1 2 2 0 0 1 4 1v2H0z'],
    metadata: 'inline',
    launchedHoursAgo: 36,
    creator: 7,
    firstBuy: 0.2,
    trades: 40,
    levels: [0.04, 0.148, 0.257, 0.375, 0.5, 0.63, 0.78, 0.911, 0.968],
    noise: 0.025,
  },
  {
    name: 'Signal Fire',
    symbol: 'SIGNL',
    description: 'Lit, seen, answered. Waiting for somebody to carry it into its pool.',
    art: ['#370617', '#ffba08', 'M4 0l3 5a3 3 0 0 1-6 0z'],
    metadata: 'inline',
    launchedHoursAgo: 30,
    creator: 8,
    firstBuy: 0.3,
    trades: 36,
    levels: [0.06, 0.151, 0.241, 0.332, 0.433, 0.537, 0.691, 0.92, 1.02],
    noise: 0.06,
    ending: 'completed',
  },
  {
    name: '北極星',
    symbol: '北極星',
    description: '道に迷ったら、空を見上げて。',
    art: ['#03045e', '#caf0f8', STAR],
    metadata: 'inline',
    launchedHoursAgo: 24,
    creator: 9,
    firstBuy: 0.15,
    trades: 32,
    levels: [0.03, 0.068, 0.105, 0.15, 0.2, 0.25, 0.32, 0.42, 0.52],
    noise: 0.06,
  },
  {
    name: 'Lantern Club',
    symbol: 'LAMP',
    description: 'Members bring their own light.',
    art: ['#212529', '#ffd166', 'M3 0h2v1h1v5H2V1h1zM3 7h2v1H3z'],
    metadata: 'ipfs',
    launchedHoursAgo: 12,
    creator: 10,
    firstBuy: 0.4,
    trades: 30,
    levels: [0.08, 0.19, 0.3, 0.505, 0.71],
    noise: 0.05,
  },
  {
    name: 'Café Comète',
    symbol: 'CAFÉ',
    description: 'Un express, très express.',
    art: ['#6f4e37', '#fdf0d5', 'M1 2h5v4H1zM6 3h1v2H6z'],
    metadata: 'inline',
    launchedHoursAgo: 3,
    creator: 11,
    firstBuy: 0.05,
    trades: 16,
    levels: [0.01, 0.081, 0.152, 0.154, 0.11],
    noise: 0.12,
  },
  {
    name: 'Harbor Cat (the real one)',
    symbol: 'HCAT',
    description: 'Trust me.',
    art: ['#0b3954', '#f4a261', CAT],
    metadata: 'ipfs',
    launchedHoursAgo: 0.8,
    creator: 12,
    firstBuy: 0.02,
    trades: 5,
    levels: [0.004, 0.03],
    noise: 0.3,
  },
  {
    name: 'Tiny Lighthouse',
    symbol: 'TINY',
    description: 'Small, but you can see it from far away.',
    art: ['#e63946', '#f1faee', 'M3 0h2l1 8H2z'],
    metadata: 'inline',
    launchedHoursAgo: 0.07,
    creator: 13,
    firstBuy: 0.1,
    trades: 3,
    levels: [0.017, 0.06],
    noise: 0.1,
  },
  {
    name: 'Quiet Orbit',
    symbol: 'ORBIT',
    description: 'Nobody has bought any yet.',
    art: ['#10002b', '#c77dff', 'M4 1a3 3 0 0 1 0 6 3 3 0 0 1 0-6z'],
    metadata: 'inline',
    launchedHoursAgo: 0.02,
    creator: 14,
    firstBuy: 0,
    trades: 0,
    levels: [0, 0],
    noise: 0,
  },
]
