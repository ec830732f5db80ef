// Who may import whom. A room is a top-level folder; the rules keep data flowing one way.
const room = (name) => `^${name}/`
const rooms = [
  'schemas',
  'chain',
  'db',
  'records',
  'lib',
  'indexer',
  'plugins',
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
  from: { path: room(from) },
  to: {
    path: `^((${rooms.join('|')})/|[^/]+\\.ts$)`,
    pathNot: [room(from), ...allowed].join('|'),
  },
})

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-orphans-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    only('schemas', [], 'Contracts stand alone.'),
    only(
      'chain',
      ['^lib/', '^errors\\.ts$', '^config\\.ts$'],
      'The chain room knows errors and the configuration type.',
    ),
    only('db', ['^errors\\.ts$', '^config\\.ts$'], 'Queries know errors and the configuration type.'),
    {
      name: 'migrations-frozen',
      comment: 'A migration imports nothing of ours.',
      severity: 'error',
      from: { path: '^db/migrations/' },
      to: { path: `^((${rooms.join('|')})/|[^/]+\\.ts$)`, pathNot: '^db/migrations/' },
    },
    only('lib', ['^errors\\.ts$', '^config\\.ts$'], 'Building blocks know no domain, and no database.'),
    only(
      'records',
      ['^chain/', '^db/', '^schemas/'],
      'How a row is told: the same to whoever reads and to whoever listens.',
    ),
    only(
      'indexer',
      ['^chain/', '^db/', '^lib/', '^records/', '^errors\\.ts$', '^config\\.ts$'],
      'The indexer writes chain-derived rows from chain logs.',
    ),
    only(
      'plugins',
      ['^chain/', '^db/', '^lib/', '^records/', '^indexer/', '^schemas/', '^errors\\.ts$', '^config\\.ts$'],
      'Infrastructure never knows a domain.',
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
      to: { path: '^(app|server|services)\\.ts$|^(plugins|routes|records|db|lib|indexer)/' },
    },
    {
      name: 'fuzzer-knows-the-document-alone',
      comment: 'What tries the service against its document may know nothing else of it.',
      severity: 'error',
      from: { path: '^test/contract/fuzz(er/|\\.ts$)' },
      to: { path: `^((${rooms.join('|')})/|[^/]+\\.ts$)`, pathNot: '^test/contract/fuzzer/' },
    },
    {
      name: 'decoders-in-children-only',
      comment: 'Native decoders crash: what the service itself loads may not reach them.',
      severity: 'error',
      from: { path: '^(app|server|services)\\.ts$' },
      to: {
        path: '^(lib/images/(encode-image|rasterize-svg|worker)|plugins/cards/(render|fonts|worker))\\.ts$',
        reachable: true,
      },
    },
    { name: 'not-to-test', severity: 'error', from: { pathNot: '^(test|bench)/' }, to: { path: '^test/' } },
    {
      name: 'no-dev-dep',
      comment: 'What runs in production may not need a development package.',
      severity: 'error',
      from: {
        path: '^(app|server|config|errors|services|probes)\\.ts$|^(schemas|chain|db|lib|records|indexer|plugins|routes|dev)/',
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
