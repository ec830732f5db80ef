import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { SkeletonRows } from './components/states.tsx'
import { CrashScreen, MissingScreen } from './layout/error-screens.tsx'
import { Layout } from './layout/layout.tsx'
import { lazyComponent } from './lib/lazy-component.tsx'
import { HomeScreen } from './screens/home/home-screen.tsx'

const root = createRootRoute({ component: Layout, notFoundComponent: MissingScreen, errorComponent: CrashScreen })

const home = createRoute({ getParentRoute: () => root, path: '/', component: HomeScreen })
const token = createRoute({
  getParentRoute: () => root,
  path: '/token/$address',
  component: lazyComponent(() => import('./screens/token/token-screen.tsx').then(({ TokenScreen }) => TokenScreen)),
})
const launch = createRoute({
  getParentRoute: () => root,
  path: '/launch',
  component: lazyComponent(() => import('./screens/launch/launch-screen.tsx').then(({ LaunchScreen }) => LaunchScreen)),
})
const portfolio = createRoute({
  getParentRoute: () => root,
  path: '/portfolio',
  component: lazyComponent(() =>
    import('./screens/portfolio/portfolio-screen.tsx').then(({ PortfolioScreen }) => PortfolioScreen),
  ),
})
const profile = createRoute({
  getParentRoute: () => root,
  path: '/profile/$wallet',
  component: lazyComponent(() =>
    import('./screens/profile/profile-screen.tsx').then(({ ProfileScreen }) => ProfileScreen),
  ),
})
const notifications = createRoute({
  getParentRoute: () => root,
  path: '/notifications',
  component: lazyComponent(() =>
    import('./screens/notifications/notifications-screen.tsx').then(({ NotificationsScreen }) => NotificationsScreen),
  ),
})
const activity = createRoute({
  getParentRoute: () => root,
  path: '/activity',
  component: lazyComponent(() =>
    import('./screens/activity/activity-screen.tsx').then(({ ActivityScreen }) => ActivityScreen),
  ),
})
const leaderboard = createRoute({
  getParentRoute: () => root,
  path: '/leaderboard',
  component: lazyComponent(() =>
    import('./screens/leaderboard/leaderboard-screen.tsx').then(({ LeaderboardScreen }) => LeaderboardScreen),
  ),
})
const raises = createRoute({
  getParentRoute: () => root,
  path: '/raises',
  component: lazyComponent(() => import('./screens/raises/raises-screen.tsx').then(({ RaisesScreen }) => RaisesScreen)),
})
const newRaise = createRoute({
  getParentRoute: () => root,
  path: '/raises/new',
  component: lazyComponent(() =>
    import('./screens/raises/new-raise-screen.tsx').then(({ NewRaiseScreen }) => NewRaiseScreen),
  ),
})
const raise = createRoute({
  getParentRoute: () => root,
  path: '/raises/$id',
  component: lazyComponent(() => import('./screens/raises/raise-screen.tsx').then(({ RaiseScreen }) => RaiseScreen)),
})
const staking = createRoute({
  getParentRoute: () => root,
  path: '/staking',
  component: lazyComponent(() =>
    import('./screens/staking/staking-screen.tsx').then(({ StakingScreen }) => StakingScreen),
  ),
})
const operator = createRoute({
  getParentRoute: () => root,
  path: '/operator',
  component: lazyComponent(() =>
    import('./screens/operator/operator-screen.tsx').then(({ OperatorScreen }) => OperatorScreen),
  ),
})

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    token,
    launch,
    portfolio,
    profile,
    notifications,
    activity,
    leaderboard,
    raises,
    newRaise,
    raise,
    staking,
    operator,
  ]),
  basepath: '/app',
  defaultPreload: 'intent',
  // Inside the layout, so that the navigation stays.
  defaultErrorComponent: CrashScreen,
  scrollRestoration: true,
  defaultPendingComponent: () => <SkeletonRows count={6} />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
