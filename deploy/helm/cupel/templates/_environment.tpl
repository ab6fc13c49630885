{{/* Environment of a component: `.name`, `.image`, `.user` (its user at the brokers), `.settings`, `.log`, `.operator`. Secrets are files. */}}
{{- define "cupel.environment" -}}
{{- $v := .root.Values -}}
{{- $env := dict "CUPEL_LOG_LEVEL" $v.logLevel "CUPEL_SHUTDOWN_TIMEOUT_MS" (mul $v.shutdownSeconds 1000) -}}
{{- if .log -}}
{{- $user := include "cupel.kafkaUser" . | fromYaml -}}
{{- $_ := merge $env (dict
  "CUPEL_LOG" "kafka"
  "CUPEL_DATABASE_URL_FILE" "/secrets/database/database-url"
  "CUPEL_DATABASE_INSECURE" $v.database.insecure
  "CUPEL_KAFKA_BROKERS" (join "," $v.kafka.brokers)
  "CUPEL_KAFKA_TLS" $v.kafka.tls.enabled
  "CUPEL_KAFKA_INSECURE" $v.kafka.insecure
  "CUPEL_TOPIC_PREFIX" $v.kafka.topicPrefix) -}}
{{- if $v.kafka.tls.caSecret }}{{- $_ := set $env "CUPEL_KAFKA_TLS_CA_FILE" "/secrets/kafka-ca/ca.crt" }}{{ end -}}
{{- if $v.kafka.tls.certificateSecret -}}
{{- $_ := set $env "CUPEL_KAFKA_TLS_CERT_FILE" "/secrets/kafka-certificate/tls.crt" -}}
{{- $_ := set $env "CUPEL_KAFKA_TLS_KEY_FILE" "/secrets/kafka-certificate/tls.key" -}}
{{- end -}}
{{- if $v.kafka.sasl.mechanism -}}
{{- $_ := set $env "CUPEL_KAFKA_SASL_MECHANISM" $v.kafka.sasl.mechanism -}}
{{- $_ := set $env "CUPEL_KAFKA_USERNAME" $user.username -}}
{{- $_ := set $env "CUPEL_KAFKA_PASSWORD_FILE" "/secrets/kafka/kafka-password" -}}
{{- end -}}
{{- $_ := set $env "CUPEL_RECORD_KEYS_FILE" "/secrets/record-keys/record-keys.json" -}}
{{- if $v.ledger.existingSecret -}}
{{- $_ := set $env "CUPEL_LEDGER_URL_FILE" "/secrets/ledger/ledger-url" -}}
{{- $_ := set $env "CUPEL_LEDGER_INSECURE" $v.ledger.insecure -}}
{{- end -}}
{{- end -}}
{{- /* The lowest free number: pods of one service are equal, and two processes cannot have one number. */}}
{{- if and .log .probes }}{{- $_ := set $env "CUPEL_INSTANCE" "auto" }}{{ end -}}
{{- with $v.telemetry -}}
{{- if and $.probes .endpoint -}}
{{- $_ := merge $env (dict
  "OTEL_EXPORTER_OTLP_ENDPOINT" .endpoint
  "OTEL_TRACES_SAMPLER_ARG" .sampleRatio
  "OTEL_LOGS_EXPORTER" (ternary "otlp" "none" .logs)
  "CUPEL_OTLP_INSECURE" .insecure) -}}
{{- if .headersSecret }}{{- $_ := set $env "OTEL_EXPORTER_OTLP_HEADERS_FILE" "/secrets/telemetry/headers" }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if .operator -}}
{{- $_ := merge $env (dict
  "CUPEL_DATABASE_ADMIN_URL_FILE" "/secrets/operator/admin-url"
  "CUPEL_REGISTRY_URL" $v.registry.url
  "CUPEL_REGISTRY_INSECURE" $v.registry.insecure) -}}
{{- if $v.registry.username -}}
{{- $_ := set $env "CUPEL_REGISTRY_USERNAME" $v.registry.username -}}
{{- $_ := set $env "CUPEL_REGISTRY_PASSWORD_FILE" "/secrets/registry/registry-password" -}}
{{- end -}}
{{- if $v.database.urlsSecret }}{{- $_ := set $env "CUPEL_SERVICE_DATABASE_URLS" "/secrets/database-urls" }}{{ end -}}
{{- if $v.registry.caSecret }}{{- $_ := set $env "CUPEL_REGISTRY_CA_FILE" "/secrets/registry-ca/ca.crt" }}{{ end -}}
{{- end -}}
{{- if and $v.keys.signingSecret (or .operator (eq .image "scorer") (has .name (list "api" "bulk-coordinator" "projector"))) -}}
{{- $_ := set $env "CUPEL_SIGNING_KEYS_FILE" "/secrets/signing-keys/signing-keys.json" -}}
{{- end -}}
{{- if and $v.keys.signingSecret (or .operator (eq .name "projector")) -}}
{{- $_ := set $env "CUPEL_CHECKPOINT_FOLDER" ($v.keys.checkpoints | default "/checkpoints") -}}
{{- if $v.keys.checkpoints -}}
{{- $_ := merge $env (dict
  "CUPEL_S3_ENDPOINT" $v.objectStore.endpoint
  "CUPEL_S3_REGION" $v.objectStore.region
  "CUPEL_S3_ACCESS_KEY_ID" (ternary $v.objectStore.reader $v.objectStore (not (empty .operator))).accessKeyId
  "CUPEL_S3_SECRET_ACCESS_KEY_FILE" "/secrets/object-store/s3-secret-access-key"
  "CUPEL_S3_INSECURE" $v.objectStore.insecure) -}}
{{- if $v.objectStore.caSecret }}{{- $_ := set $env "CUPEL_S3_CA_FILE" "/secrets/object-store-ca/ca.crt" }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if and $v.keys.personalDataSecret (or .operator (has .name (list "api" "webhook-dispatcher"))) -}}
{{- $_ := set $env "CUPEL_PERSONAL_DATA_KEYS_FILE" "/secrets/personal-data-keys/personal-data-keys.json" -}}
{{- end -}}
{{- if and $v.keys.webhooksSecret (or .operator (has .name (list "api" "webhook-dispatcher"))) -}}
{{- $_ := set $env "CUPEL_WEBHOOK_SECRETS_KEY_FILE" "/secrets/webhook-keys/webhook-secrets-key" -}}
{{- end -}}
{{- if and $v.mail.passwordSecret (or .operator (eq .name "webhook-dispatcher")) -}}
{{- $_ := set $env "CUPEL_MAIL_PASSWORD_FILE" "/secrets/mail/mail-password" -}}
{{- end -}}
{{- if has .name (list "api" "web") -}}
{{- $_ := set $env "CUPEL_TRUSTED_PROXIES" (join "," $v.trustedProxies) -}}
{{- $_ := set $env "CUPEL_DRAIN_MS" (mul $v.drainSeconds 1000) -}}
{{- if $v.web.enabled -}}
{{- $_ := set $env "CUPEL_WEB_URL" $v.web.url -}}
{{- $_ := set $env "CUPEL_WEB_SECRET_FILE" "/secrets/web/web-secret" -}}
{{- if $v.web.oidcSecret }}{{- $_ := set $env "CUPEL_OIDC_FILE" "/secrets/oidc/oidc.json" }}{{ end -}}
{{- end -}}
{{- if $v.tls.existingSecret -}}
{{- $_ := set $env "CUPEL_TLS_CERT_FILE" "/secrets/tls/tls.crt" -}}
{{- $_ := set $env "CUPEL_TLS_KEY_FILE" "/secrets/tls/tls.key" -}}
{{- end -}}
{{- end -}}
{{- if eq .name "api" -}}
{{- $_ := merge $env (dict "CUPEL_HOST" "0.0.0.0" "CUPEL_PORT" 8080 "CUPEL_BASE_URL" $v.api.baseUrl) -}}
{{- end -}}
{{- if eq .name "webhook-dispatcher" -}}
{{- $_ := set $env "CUPEL_BASE_URL" $v.api.baseUrl -}}
{{- if $v.web.enabled }}{{- $_ := set $env "CUPEL_WEB_URL" $v.web.url }}{{ end -}}
{{- end -}}
{{- if eq .name "web" -}}
{{- $_ := merge $env (dict
  "CUPEL_WEB_HOST" "0.0.0.0"
  "CUPEL_WEB_PORT" 8081
  "CUPEL_API_URL" (include "cupel.apiUrl" .root)
  "CUPEL_API_INSECURE" (empty $v.tls.existingSecret)) -}}
{{- end -}}
{{- if eq .name "scorer" }}{{- $_ := set $env "CUPEL_SCORER_LANE" (ternary "interactive" "both" $v.scorerBulk.enabled) }}{{ end -}}
{{- if eq .name "scorer-bulk" }}{{- $_ := set $env "CUPEL_SCORER_LANE" "bulk" }}{{ end -}}
{{- if and (eq .image "scorer") $v.scorer.chainDataSecret -}}
{{- $_ := set $env "CUPEL_CHAIN_DATA_FILE" "/secrets/chain-data/chain-data.json" -}}
{{- end -}}
{{- if and (eq .name "projector") $v.projector.witnessesConfigMap }}{{- $_ := set $env "CUPEL_WITNESSES_FILE" "/witnesses/witnesses.json" }}{{ end -}}
{{- if and (or .operator (eq .image "scorer")) $v.scorer.historiesClaim -}}
{{- $_ := set $env "CUPEL_HISTORIES" "true" -}}
{{- $_ := set $env "CUPEL_HISTORY_FOLDER" "/histories" -}}
{{- end -}}
{{- if and (eq .name "label-refresher") $v.labelRefresher.planConfigMap }}{{- $_ := set $env "CUPEL_LABEL_REFRESH_FILE" "/plan/refresh-plan.json" }}{{ end -}}
{{- range $name, $value := mergeOverwrite (dict) (ternary $v.settings (dict) .log) (.settings | default dict) -}}
{{- if hasKey $env $name }}{{ fail (printf "The setting %s has a value of its own in this chart." $name) }}{{ end -}}
{{- $_ := set $env $name $value -}}
{{- end -}}
{{- range $name, $value := $env }}
{{- if ne (toString $value) "" }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* The Secrets that a component reads, as folder: Secret. A component without a use for one does not have it. */}}
{{- define "cupel.secrets" -}}
{{- $v := .root.Values -}}
{{- $secrets := dict -}}
{{- if .log -}}
{{- $user := include "cupel.kafkaUser" . | fromYaml -}}
{{- $_ := merge $secrets (dict "database" (index $v.database.users .user | default $v.database.existingSecret) "record-keys" $v.keys.recordsSecret
  "kafka-ca" $v.kafka.tls.caSecret "kafka-certificate" $v.kafka.tls.certificateSecret "ledger" $v.ledger.existingSecret) -}}
{{- if $v.kafka.sasl.mechanism }}{{- $_ := set $secrets "kafka" $user.existingSecret }}{{ end -}}
{{- end -}}
{{- if .operator -}}
{{- $_ := merge $secrets (dict "operator" $v.operator.existingSecret "database-urls" $v.database.urlsSecret "registry-ca" $v.registry.caSecret) -}}
{{- if $v.registry.username }}{{- $_ := set $secrets "registry" $v.registry.existingSecret }}{{ end -}}
{{- end -}}
{{- if or .operator (eq .image "scorer") (has .name (list "api" "bulk-coordinator" "projector")) }}{{- $_ := set $secrets "signing-keys" $v.keys.signingSecret }}{{ end -}}
{{- if and $v.keys.checkpoints (or .operator (eq .name "projector")) -}}
{{- $_ := merge $secrets (dict "object-store" (ternary $v.objectStore.reader $v.objectStore (not (empty .operator))).existingSecret "object-store-ca" $v.objectStore.caSecret) -}}
{{- end -}}
{{- if or .operator (has .name (list "api" "webhook-dispatcher")) -}}
{{- $_ := merge $secrets (dict "personal-data-keys" $v.keys.personalDataSecret "webhook-keys" $v.keys.webhooksSecret) -}}
{{- end -}}
{{- if or .operator (eq .name "webhook-dispatcher") }}{{- $_ := set $secrets "mail" $v.mail.passwordSecret }}{{ end -}}
{{- if has .name (list "api" "web") -}}
{{- $_ := set $secrets "tls" $v.tls.existingSecret -}}
{{- if $v.web.enabled -}}
{{- $_ := merge $secrets (dict "web" $v.web.secret "oidc" $v.web.oidcSecret) -}}
{{- end -}}
{{- end -}}
{{- if eq .image "scorer" }}{{- $_ := set $secrets "chain-data" $v.scorer.chainDataSecret }}{{ end -}}
{{- if hasKey . "nodeSecret" }}{{- $_ := set $secrets "node" .nodeSecret }}{{ end -}}
{{- if and .probes $v.telemetry.endpoint }}{{- $_ := set $secrets "telemetry" $v.telemetry.headersSecret }}{{ end -}}
{{- range $folder, $secret := $secrets }}
{{- if $secret }}
{{ $folder }}: {{ $secret }}
{{- end }}
{{- end }}
{{- end }}
