import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { loadConfig } from '../../config/config.ts'
import { environment } from '../../config/environment.ts'
import { countConnections } from '../../db/postgres/pools.ts'
import manifest from '../../dev/package.json' with { type: 'json' }
import { createTestApp } from '../support/app.ts'
import { listContext } from '../support/container/build-image.ts'
import { ROOT, readStages } from '../support/container/dockerfile.ts'

type Tree = Record<string, unknown>
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
// HOME is of the image, PGPASSWORD of the driver of PostgreSQL.
const known = new Set<string>([...Object.keys(environment), 'HOME', 'PGPASSWORD'])
const { app } = await createTestApp()
t.teardown(() => app.close())

t.test('the Dockerfile lints without a finding', async (t) => {
  t.same(validate(read('Dockerfile')), [])
})

t.test('every Dockerfile stage starts from an earlier one or from the Node version of the project', async (t) => {
  const seen = new Set<string>()
  for (const { name, from, instructions } of readStages()) {
    if (!seen.has(from)) t.equal(from, `node:${manifest.dependencies.node.replace('^', '')}-bookworm-slim`)
    for (const { text } of instructions.filter(({ keyword }) => keyword === 'COPY')) {
      const [, stage] = /^--from=(\S+)/.exec(text) ?? []
      if (stage) t.ok(seen.has(stage), `${name} copies from ${stage}`)
    }
    seen.add(name)
  }
})

t.test('copied files exist, and .dockerignore excludes files that the image does not use', async (t) => {
  const context = await listContext()
  for (const { text } of readStages().flatMap(({ instructions }) =>
    instructions.filter(({ keyword }) => keyword === 'COPY'),
  )) {
    if (text.startsWith('--from')) continue
    for (const path of text.split(/\s+/).slice(0, -1)) t.ok(path === '.' || context.includes(path), path)
  }
  for (const path of [
    'server.ts',
    'package-lock.json',
    '.npmrc',
    'scripts/archive.ts',
    'scripts/distribute.ts',
    'scripts/reindex.ts',
  ])
    t.ok(context.includes(path), path)
  t.notOk(context.some((path) => /^(test|bench|docs|sdk(?!\/src)|deploy|contracts\/src|\.git|\.ci)\//.test(path)))
  t.notOk(
    context.some((path) => /(^|\/)\.env/.test(path)),
    'no settings of somebody',
  )
})

t.test('the image sets only known variables, and follows the Docker conventions', async (t) => {
  const all = readStages().flatMap(({ instructions }) => instructions)
  const names = all
    .filter(({ keyword }) => keyword === 'ENV')
    .flatMap(({ text }) => [...text.matchAll(/(\w+)=/g)].map(([, name]) => String(name)))
  t.ok(names.length > 0)
  for (const name of names) t.ok(known.has(name), name)
  const only = (keyword: string) => all.filter((one) => one.keyword === keyword).map(({ text }) => text)
  t.match(only('USER'), [/^[1-9]\d*:[1-9]\d*$/], 'a number that is not root')
  t.match(only('CMD'), [/^\["node", "--max-semi-space-size=\d+", "server\.ts"\]$/], 'exec form, so that signals arrive')
  t.same(only('STOPSIGNAL'), ['SIGTERM'])
  t.equal(only('HEALTHCHECK').length, 1)
})

const compose = parse(read('compose.yaml'), { merge: true }) as {
  services: Record<
    string,
    { env_file?: Tree[]; environment?: Tree; volumes?: string[]; depends_on?: Tree | string[]; build?: Tree }
  >
  volumes: Tree
}
const override = parse(read('compose.override.yaml')) as typeof compose

t.test('variables, volumes, services, files and stages in compose.yaml exist', async (t) => {
  const stages = readStages().map(({ name }) => name)
  for (const file of [compose, override]) {
    for (const [name, service] of Object.entries(file.services)) {
      if (service.build) {
        t.ok(stages.includes(String(service.build.target)), `${name} builds a stage`)
        for (const variable of Object.keys(service.environment ?? {})) t.ok(known.has(variable), `${name}: ${variable}`)
      }
      for (const needed of Object.keys(Array.isArray(service.depends_on) ? {} : (service.depends_on ?? {}))) {
        t.ok(compose.services[needed], `${name} depends on ${needed}`)
      }
      for (const [source = ''] of (service.volumes ?? []).map((volume) => volume.split(':'))) {
        if (source.startsWith('.')) t.ok(statSync(join(ROOT, source)), source)
        else t.ok(source in file.volumes, `${name}: volume ${source}`)
      }
    }
  }
  for (const name of Object.keys(compose.services)) t.ok(name in override.services, `${name} waits for the real stack`)
})

/** As Compose does, with what an operator has put into .env: `environment` comes before `env_file`. */
const readSettings = (
  { env_file, environment = {} }: (typeof compose.services)[string],
  given: Record<string, string>,
) => ({
  ...(env_file?.some(({ path }) => path === '.env') && given),
  ...interpolate(environment, given),
})

const interpolate = (values: Tree, given: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      String(value).replace(
        /\$\{(\w+)(?::-([^}]*))?\}/g,
        (_whole, variable, fallback = '') => given[variable] ?? fallback,
      ),
    ]),
  )

t.test('every process of compose.yaml accepts the settings of the .env in the handbook', async (t) => {
  const given = {
    POSTGRES_PASSWORD: 'p@ss/w:rd#%',
    RPC_URL: 'https://node.example/key',
    CHAIN_ID: '8453',
    JWT_KEYS: 'key-1:a-secret-of-this-test-that-is-long-enough',
    PUBLIC_URL: 'https://launch.example',
    DEPLOYMENTS: `[{"kind":"launchpad","address":"0x${'1'.repeat(40)}","startBlock":1}]`,
    WEB: 'off',
    // Of a service on the operator's own machine.
    ...{ NODE_ENV: 'development', HOST: '127.0.0.1', PORT: '8080', DATA_DIR: './data', ROLE: 'all' },
    ...{ DATABASE_URL: 'postgres://localhost/slipway', REDIS_URL: 'redis://localhost' },
  }
  for (const role of ['api', 'indexer']) {
    const settings = readSettings(compose.services[role]!, given)
    const config = loadConfig(settings)
    t.match(config, { role, production: true, databaseUrl: 'postgres://slipway@postgres/slipway' })
    t.equal((settings as Record<string, string>).PGPASSWORD, given.POSTGRES_PASSWORD, 'with any character')
    t.match(config, { host: '0.0.0.0', port: 3000, dataDir: '/data', redis: { urls: ['redis://redis:6379'] } })
    t.equal(config.web, false, 'a setting that compose.yaml does not name')
  }
  t.match(loadConfig(readSettings(override.services.demo!, {})), { production: false, rpcUrls: [] })
})

interface Container {
  env: { name: string; value: string }[]
  ports: { name: string; containerPort: number }[]
  startupProbe: { httpGet: { path: string; port: string } }
  livenessProbe: { httpGet: { path: string; port: string } }
  readinessProbe: { httpGet: { path: string; port: string } }
  securityContext: Tree
  volumeMounts: { name: string; mountPath: string }[]
}
interface Resource {
  kind: string
  apiVersion: string
  metadata: { name: string }
  data?: Record<string, string>
  spec?: {
    template: {
      metadata: { labels: Tree; annotations: Tree }
      spec: { containers: Container[]; volumes: { name: string }[] } & Tree
    }
    selector: { matchLabels?: Tree } & Tree
    strategy: Tree
  } & Tree
}
const FOLDER = 'deploy/kubernetes'
const files = readdirSync(join(ROOT, FOLDER)).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
/** As kustomize reads the file of a secretGenerator. */
const secrets = Object.fromEntries(
  read(`${FOLDER}/secret.example.env`)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
)
const resources = files.flatMap((file) =>
  parseAllDocuments(read(`${FOLDER}/${file}`)).map((document) => document.toJS() as Resource),
)
const find = (kind: string, name = 'slipway') =>
  resources.find((one) => one.kind === kind && one.metadata.name === name)!

t.test('the kustomization lists all manifests, and creates the secret that the pods read', async (t) => {
  const { resources: named, secretGenerator } = parse(read(`${FOLDER}/kustomization.yaml`)) as {
    resources: string[]
    secretGenerator: Tree[]
  }
  t.same([...named].sort(), files.sort())
  t.same(secretGenerator, [{ name: 'slipway', envs: ['secret.env'] }])
  t.match(read('.gitignore'), `/${FOLDER}/secret.env\n`, 'which is never committed')
})

t.test('the settings of the manifests are accepted by either role in production', async (t) => {
  const { data } = find('ConfigMap')
  for (const name of Object.keys({ ...data, ...secrets })) t.ok(known.has(name), name)
  for (const ROLE of ['api', 'indexer']) {
    t.match(loadConfig({ NODE_ENV: 'production', ...data, ...secrets, ROLE }), {
      production: true,
      metricsPort: 9464,
    })
  }
})

t.test('the deployments probe existing paths and ports, and run with restricted privileges', async (t) => {
  for (const role of ['api', 'indexer']) {
    const { template, selector, strategy } = find('Deployment', role).spec!
    const [container] = template.spec.containers
    t.same(selector.matchLabels, template.metadata.labels)
    t.same(container!.env, [{ name: 'ROLE', value: role }])
    t.same(strategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 })
    const ports = Object.fromEntries(container!.ports.map(({ name, containerPort }) => [name, containerPort]))
    t.same(ports, { http: 3000, metrics: 9464 })
    t.equal(template.metadata.annotations['prometheus.io/port'], String(ports.metrics))
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
      const { path, port } = container![probe].httpGet
      t.ok(port in ports, probe)
      t.ok(app.hasRoute({ method: 'GET', url: path }), path)
    }
    t.match(template.spec.securityContext, { runAsNonRoot: true, runAsUser: 1000 })
    t.match(container!.securityContext, { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    const volumes = template.spec.volumes.map(({ name }) => name)
    for (const { name } of container!.volumeMounts) t.ok(volumes.includes(name), name)
    t.ok(container!.volumeMounts.some(({ mountPath }) => mountPath === '/data'))
  }
})

t.test('service, autoscaler, disruption budgets and ingress reference existing objects', async (t) => {
  t.same(find('Service', 'api').spec!.selector, find('Deployment', 'api').spec!.template.metadata.labels)
  t.match(find('HorizontalPodAutoscaler', 'api').spec, { scaleTargetRef: { kind: 'Deployment', name: 'api' } })
  for (const name of ['api', 'indexer']) {
    t.same(
      find('PodDisruptionBudget', name).spec!.selector.matchLabels,
      find('Deployment', name).spec!.selector.matchLabels,
    )
  }
  t.match(find('Ingress').spec, {
    rules: [{ http: { paths: [{ backend: { service: { name: 'api', port: { name: 'http' } } } }] } }],
  })
})

/** Connections that a server reserves for superusers by default. */
const RESERVED = 3

t.test('PostgreSQL has enough connections for all processes of the manifests, also during an update', async (t) => {
  const [, stated] = /max_connections = (\d+)/.exec(read(`${FOLDER}/config.yaml`)) ?? []
  t.ok(read('docs/operations.md').includes(`\`max_connections = ${stated}\``), 'as documented')
  const env: Record<string, string> = { NODE_ENV: 'production', ...find('ConfigMap').data, ...secrets }
  const most = {
    api: find('HorizontalPodAutoscaler', 'api').spec!.maxReplicas,
    indexer: find('Deployment', 'indexer').spec!.replicas,
  }
  let sum = 0
  for (const role of ['api', 'indexer'] as const) {
    const { maxSurge } = (find('Deployment', role).spec!.strategy as { rollingUpdate: { maxSurge: number } })
      .rollingUpdate
    sum += (Number(most[role]) + maxSurge) * countConnections(loadConfig({ ...env, ROLE: role })).primary
  }
  t.ok(sum > 0 && sum <= Number(stated) - RESERVED, `${sum} of ${stated}`)
  t.match(read(`${FOLDER}/config.yaml`), new RegExp(`: ${sum}\\.`), 'as its comment says')

  const given = {
    RPC_URL: 'https://node.example',
    CHAIN_ID: '8453',
    JWT_KEYS: String(env.JWT_KEYS),
    PUBLIC_URL: 'https://launch.example',
    DEPLOYMENTS: String(env.DEPLOYMENTS),
  }
  const count = (name: string) => {
    const { deploy } = compose.services[name] as { deploy?: { replicas: number } }
    const { primary } = countConnections(loadConfig(readSettings(compose.services[name]!, given)))
    return (deploy?.replicas ?? 1) * primary
  }
  const composed = count('api') + count('indexer')
  t.ok(composed <= 100 - RESERVED, `${composed} of the default of 100`)
})
