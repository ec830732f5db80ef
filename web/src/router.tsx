import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { SkeletonRows } from './components/states.tsx'
import { CrashScreen, MissingScreen } from './layout/error-screens.tsx'
import { Layout } from './layout/layout.tsx'
import { HomeScreen } from './screens/home/home-screen.tsx'

const root = createRootRoute({ component: Layout, notFoundComponent: MissingScreen, errorComponent: CrashScreen })

const home = createRoute({ getParentRoute: () => root, path: '/', component: HomeScreen })
const token = createRoute({
  getParentRoute: () => root,
  path: '/token/$address',
  component: lazyRouteComponent(() => import('./screens/token/token-screen.tsx'), 'TokenScreen'),
})
const launch = createRoute({
  getParentRoute: () => root,
  path: '/launch',
  component: lazyRouteComponent(() => import('./screens/launch/launch-screen.tsx'), 'LaunchScreen'),
})
const portfolio = createRoute({
  getParentRoute: () => root,
  path: '/portfolio',
  component: lazyRouteComponent(() => import('./screens/portfolio/portfolio-screen.tsx'), 'PortfolioScreen'),
})
const profile = createRoute({
  getParentRoute: () => root,
  path: '/profile/$wallet',
  component: lazyRouteComponent(() => import('./screens/profile/profile-screen.tsx'), 'ProfileScreen'),
})
const notifications = createRoute({
  getParentRoute: () => root,
  path: '/notifications',
  component: lazyRouteComponent(
    () => import('./screens/notifications/notifications-screen.tsx'),
    'NotificationsScreen',
  ),
})
const leaderboard = createRoute({
  getParentRoute: () => root,
  path: '/leaderboard',
  component: lazyRouteComponent(() => import('./screens/leaderboard/leaderboard-screen.tsx'), 'LeaderboardScreen'),
})
const raises = createRoute({
  getParentRoute: () => root,
  path: '/raises',
  component: lazyRouteComponent(() => import('./screens/raises/raises-screen.tsx'), 'RaisesScreen'),
})
const newRaise = createRoute({
  getParentRoute: () => root,
  path: '/raises/new',
  component: lazyRouteComponent(() => import('./screens/raises/new-raise-screen.tsx'), 'NewRaiseScreen'),
})
const raise = createRoute({
  getParentRoute: () => root,
  path: '/raises/$id',
  component: lazyRouteComponent(() => import('./screens/raises/raise-screen.tsx'), 'RaiseScreen'),
})
const staking = createRoute({
  getParentRoute: () => root,
  path: '/staking',
  component: lazyRouteComponent(() => import('./screens/staking/staking-screen.tsx'), 'StakingScreen'),
})
const operator = createRoute({
  getParentRoute: () => root,
  path: '/operator',
  component: lazyRouteComponent(() => import('./screens/operator/operator-screen.tsx'), 'OperatorScreen'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    token,
    launch,
    portfolio,
    profile,
    notifications,
    leaderboard,
    raises,
    newRaise,
    raise,
    staking,
    operator,
  ]),
  basepath: '/app',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: () => <SkeletonRows count={6} />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
