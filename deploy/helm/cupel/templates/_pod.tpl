{{/* The specification of every pod of this chart: `.root`, `.name`, `.image`, `.user`, `.log`, `.resources`, and what differs. */}}
{{- define "cupel.podSpec" -}}
{{- $v := .root.Values -}}
{{- $secrets := include "cupel.secrets" . | fromYaml -}}
{{- /* One key of a Secret alone, so that one Secret with all keys shows each service its own. */}}
{{- $keys := dict "record-keys" "record-keys.json" "signing-keys" "signing-keys.json" "personal-data-keys" "personal-data-keys.json" "webhook-keys" "webhook-secrets-key" "kafka" "kafka-password" "registry" "registry-password" "web" "web-secret" "chain-data" "chain-data.json" "node" "node-url" "telemetry" "headers" "mail" "mail-password" "object-store" "s3-secret-access-key" "ledger" "ledger-url" -}}
{{- $checkpoints := and $v.keys.checkpointsClaim (or .operator (eq .name "projector")) -}}
{{- $histories := ternary $v.scorer.historiesClaim "" (or .operator (eq .image "scorer")) -}}
{{- $plan := ternary $v.labelRefresher.planConfigMap "" (eq .name "label-refresher") -}}
{{- $witnesses := ternary $v.projector.witnessesConfigMap "" (eq .name "projector") -}}
serviceAccountName: {{ .serviceAccount }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with $v.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- with $v.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  # Files of Secrets and of the claim can be read by this group.
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
terminationGracePeriodSeconds: {{ add $v.shutdownSeconds 5 }}
{{- if .spread }}
topologySpreadConstraints:
{{- $selector := include "cupel.selector" . | fromYaml }}
{{- range $v.topologyKeys }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{ toJson $selector }}
    matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end }}
{{- with $v.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with $v.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
containers:
  - name: {{ .name }}
    image: {{ include "cupel.image" . }}
    imagePullPolicy: {{ $v.image.pullPolicy }}
{{- with .command }}
    command: {{ toJson . }}
{{- end }}
    args: {{ toJson .args }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      privileged: false
      capabilities: { drop: [ALL] }
    env:
{{- include "cupel.environment" . | nindent 6 }}
    resources: {{ toJson .resources }}
{{- if .probes }}
    ports:
      - { name: metrics, containerPort: 9464 }
{{- if hasKey . "port" }}
      - { name: http, containerPort: {{ .port }} }
{{- end }}
    # The process runs. A restart would mend no database and no broker.
    livenessProbe:
      httpGet: { path: /healthz, port: metrics }
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    # It can do its work now: its tail of the log is followed, its partitions are read, its keys can be looked up.
    readinessProbe:
      httpGet: { path: /readyz, port: metrics }
      periodSeconds: 5
      timeoutSeconds: 5
      failureThreshold: 2
    startupProbe:
      httpGet: { path: /healthz, port: metrics }
      periodSeconds: 2
      timeoutSeconds: 5
      failureThreshold: 60
{{- end }}
    volumeMounts:
      - { name: data, mountPath: /data }
{{- range $folder, $_ := $secrets }}
      - { name: {{ $folder }}, mountPath: /secrets/{{ $folder }}, readOnly: true }
{{- end }}
{{- if $checkpoints }}
      - { name: checkpoints, mountPath: /checkpoints{{ if .operator }}, readOnly: true{{ end }} }
{{- end }}
{{- if $plan }}
      - { name: plan, mountPath: /plan, readOnly: true }
{{- end }}
{{- if $histories }}
      - { name: histories, mountPath: /histories{{ if .operator }}, readOnly: true{{ end }} }
{{- end }}
{{- if $witnesses }}
      - { name: witnesses, mountPath: /witnesses, readOnly: true }
{{- end }}
volumes:
  - name: data
    emptyDir: { sizeLimit: {{ .dataSize | default "1Gi" }} }
{{- range $folder, $secret := $secrets }}
  - name: {{ $folder }}
    # Readable for the group, and for nobody else: 0440.
    secret:
      secretName: {{ $secret }}
      defaultMode: 288
{{- with index $keys $folder }}
      items: [{ key: {{ . }}, path: {{ . }} }]
{{- end }}
{{- end }}
{{- if $checkpoints }}
  - name: checkpoints
    persistentVolumeClaim: { claimName: {{ $v.keys.checkpointsClaim }}{{ if .operator }}, readOnly: true{{ end }} }
{{- end }}
{{- with $plan }}
  - name: plan
    configMap: { name: {{ . }} }
{{- end }}
{{- with $histories }}
  - name: histories
    persistentVolumeClaim: { claimName: {{ . }} }
{{- end }}
{{- with $witnesses }}
  - name: witnesses
    configMap: { name: {{ . }} }
{{- end }}
{{- end }}
