// Who may import whom. The rules keep data flowing one way.
const inFolder = (name) => `^${name}/`
const folders = [
  'schemas',
  'chain',
  'db',
  'records',
  'lib',
  'indexer',
  'audit',
  'plugins',
  'features',
  'routes',
  'contracts',
  'sdk',
  'dev',
  'test',
  'bench',
]

/** A rule that lets files under `from` import, of ours, only what `allowed` names. */
const only = (from, allowed, comment) => ({
  name: `${from}-imports`,
  comment,
  severity: 'error',
  from: { path: inFolder(from) },
  to: {
    path: `^((${folders.join('|')})/|[^/]+\\.ts$)`,
    pathNot: [inFolder(from), ...allowed].join('|'),
  },
})

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-orphans-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    only(
      'schemas',
      [],
      'Contracts stand alone: routes add failures to them by lib/openapi/failures.ts, which reads errors.ts.',
    ),
    only('chain', ['^lib/', '^errors\\.ts$', '^config\\.ts$'], 'Access to nodes knows neither tables nor domains.'),
    only('db', ['^errors\\.ts$', '^config\\.ts$'], 'Queries know errors and the configuration type.'),
    {
      name: 'migrations-frozen',
      comment: 'A migration imports nothing of ours.',
      severity: 'error',
      from: { path: '^db/migrations/' },
      to: { path: `^((${folders.join('|')})/|[^/]+\\.ts$)`, pathNot: '^db/migrations/' },
    },
    only(
      'lib',
      ['^schemas/', '^errors\\.ts$', '^config\\.ts$'],
      'Building blocks know no table and no node. Schemas are the shapes that they validate and describe.',
    ),
    only('records', ['^chain/', '^db/', '^schemas/'], 'A row becomes the same record in a response and in an event.'),
    only(
      'indexer',
      ['^chain/', '^db/', '^lib/', '^records/', '^errors\\.ts$', '^config\\.ts$'],
      'The indexer writes chain-derived rows from chain logs.',
    ),
    only(
      'audit',
      [
        '^chain/',
        '^db/(client|schema)\\.ts$',
        '^indexer/engine/(contracts|pack-logs)\\.ts$',
        '^errors\\.ts$',
        '^config\\.ts$',
      ],
      'An audit shares no code with what it checks.',
    ),
    only(
      'plugins',
      [
        '^chain/',
        '^db/',
        '^lib/',
        '^indexer/engine/(contracts|sync-queue)\\.ts$',
        '^schemas/',
        '^errors\\.ts$',
        '^config\\.ts$',
      ],
      'A plugin decorates the app or hooks requests, for all domains.',
    ),
    {
      name: 'plugins-know-no-domain',
      comment: 'Of the queries, plugins use those that every request needs.',
      severity: 'error',
      from: { path: '^plugins/' },
      to: { path: '^db/queries/', pathNot: '^db/queries/(bans|revoked-tokens)\\.ts$' },
    },
    {
      name: 'plugins-are-flat',
      comment: 'One file each. What a plugin is made of lies in lib/.',
      severity: 'error',
      from: {},
      to: { path: '^plugins/[^/]+/' },
    },
    only(
      'features',
      ['^chain/', '^db/', '^lib/', '^records/', '^schemas/', '^errors\\.ts$', '^config\\.ts$'],
      'A feature has a life of its own: it stands on building blocks, and routes use it through its plugin.',
    ),
    only(
      'routes',
      [
        '^chain/',
        '^db/',
        '^lib/',
        '^records/',
        '^indexer/',
        '^plugins/',
        '^features/',
        '^schemas/',
        '^errors\\.ts$',
        '^config\\.ts$',
      ],
      'A domain uses infrastructure.',
    ),
    only('sdk', [], 'The client stands alone.'),
    {
      name: 'dev-is-not-imported',
      comment: 'Only the process, the tests and the benchmarks may start the embedded chain.',
      severity: 'error',
      from: { pathNot: '^(dev/|test/|bench/|scripts/|server\\.ts$|services\\.ts$)' },
      to: { path: '^dev/' },
    },
    {
      name: 'acceptance-is-outside',
      comment: 'Acceptance tests speak HTTP; they may not import the app.',
      severity: 'error',
      from: { path: '^test/acceptance/' },
      to: { path: '^(app|server|services)\\.ts$|^(plugins|features|routes|records|db|lib|indexer|audit)/' },
    },
    {
      name: 'fuzzer-knows-the-document-alone',
      comment: 'What tries the service against its document may know nothing else of it.',
      severity: 'error',
      from: { path: '^test/contract/fuzz(er/|\\.ts$)' },
      to: { path: `^((${folders.join('|')})/|[^/]+\\.ts$)`, pathNot: '^test/contract/fuzzer/' },
    },
    {
      name: 'decoders-in-children-only',
      comment: 'Native decoders crash: what the service itself loads may not reach them.',
      severity: 'error',
      from: { path: '^(app|server|services)\\.ts$' },
      to: {
        path: '^(lib/images/(encode-image|rasterize-svg|worker)|features/link-previews/(render|fonts|worker))\\.ts$',
        reachable: true,
      },
    },
    { name: 'not-to-test', severity: 'error', from: { pathNot: '^(test|bench)/' }, to: { path: '^test/' } },
    {
      name: 'no-dev-dep',
      comment: 'What runs in production may not need a development package.',
      severity: 'error',
      from: {
        path: '^(app|server|config|errors|services|probes|observe)\\.ts$|^(schemas|chain|db|lib|records|indexer|audit|plugins|features|routes|dev)/',
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(\\.tap|data|coverage)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}
